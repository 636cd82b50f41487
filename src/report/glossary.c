/* The words themselves. Each says what it is before what it means for the reader, has a picture
 * where that helps, and makes no promise that the figures do not keep. */
#include "report/glossary.h"

#define CPU "time and CPU"
#define MEMORY "memory"
#define IO "input and output"
#define PROCESSES "processes, and how they end"
#define CLUSTER "machines and clusters"
#define SONDE "what sonde says"
#define ENERGY "energy"

const struct word word_table[] = {
	{ .name = "core",
	  .group = CPU,
	  .also = "cores|CPU|processor|cpu core|busy cores",
	  .text = "A core is the part of a computer that works through a program, one step after "
		  "another. A machine with 16 cores can do 16 things at the same moment, as a "
		  "kitchen with 16 cooks can. A program uses more than one only if it was written, "
		  "or told, to share out its work. \"1.1 of 16 cores\" says that about one cook "
		  "was busy on average, and fifteen stood by.",
	  .figures = "totals.cores_mean totals.cores_peak limits.cores",
	  .see = "sonde show --series cores" },
	{ .name = "CPU time",
	  .group = CPU,
	  .also = "processor time|cpu seconds",
	  .text =
	      "The time that cores worked for the program, added up over all of them: four "
	      "cores busy for ten seconds are 40 seconds of CPU time. Waiting - for a disk, for "
	      "the network, for a turn - does not count. Divided by the wall time it tells how "
	      "many cores were busy on average.",
	  .figures = "totals.cpu_s totals.wall_s totals.cores_mean",
	  .see = "sonde show" },
	{ .name = "wall time",
	  .group = CPU,
	  .also = "time|wall-clock time|elapsed time|real time|run time|walltime|elapsed",
	  .text = "The time that passed on the clock on the wall, from the program's start to its "
		  "end, whether it worked or waited. It is what you wait for, and what a cluster's "
		  "time limit counts.",
	  .figures = "totals.wall_s limits.time_s",
	  .see = "sonde history" },
	{ .name = "user time",
	  .group = CPU,
	  .also = "user CPU time|usr",
	  .text = "The part of the CPU time that was spent in the program's own code and in its "
		  "libraries: the computing itself. The other part is system time.",
	  .figures = "totals.cpu_user_s totals.cpu_system_s",
	  .see = "sonde show" },
	{ .name = "system time",
	  .group = CPU,
	  .also = "kernel time|sys|system CPU time",
	  .text =
	      "The part of the CPU time that the kernel worked on the program's behalf: opening "
	      "files, handing out memory, starting processes. A few percent are usual. Much more "
	      "points to very many small reads or writes, to many short processes, or to memory "
	      "that is taken and given back again and again.",
	  .figures = "totals.cpu_system_s totals.cpu_user_s",
	  .see = "sonde show" },
	{ .name = "core-hour",
	  .group = CPU,
	  .also = "core hours|CPU-hour|cpu hours|processor hour",
	  .text =
	      "One core for one hour. Clusters count the cores that you hold, busy or not: 16 "
	      "cores held for two hours are 32 core-hours, even if the program used only one of "
	      "them. It is like renting a bus for one passenger: all seats are paid for.",
	  .figures = "derived.core_hours_used derived.core_hours_held",
	  .see = "sonde show" },
	{ .name = "SU",
	  .group = CPU,
	  .also = "kSU|service unit|service units|billing unit|allocation",
	  .text = "A service unit is what a computing centre charges for; 1 kSU is 1000 of them. "
		  "Often one SU is one core-hour, but each centre has its own price list, and "
		  "memory, GPUs or special nodes may cost more. Find your centre's factor, and "
		  "multiply it by the core-hours that you held.",
	  .figures = "derived.core_hours_held",
	  .see = "sonde history" },
	{ .name = "efficiency",
	  .group = CPU,
	  .also = "CPU efficiency|utilisation|utilization|seff",
	  .text =
	      "The share of the cores that you held which was busy: CPU time, divided by wall "
	      "time times cores. 25 % on four cores often means that one of them did all the "
	      "work. A low figure is not a fault of the program as such; asking for fewer cores "
	      "mends it as well as using more of them does.",
	  .figures = "derived.efficiency_share totals.cores_mean limits.cores",
	  .see = "sonde show" },
	{ .name = "speed-up",
	  .group = CPU,
	  .also = "speedup|scaling|parallel efficiency|Amdahl",
	  .text =
	      "How many times faster a program is on several cores than on one. Four cores "
	      "rarely make it four times faster, since some part of the work cannot be shared "
	      "out: nine cooks do not boil an egg in a ninth of the time. When more cores do not "
	      "help any more, ask for fewer and be started sooner.",
	  .figures = "totals.wall_s totals.cores_mean",
	  .see = "sonde history" },
	{ .name = "percent of CPU",
	  .group = CPU,
	  .also = "%CPU|CPU percent|CPU usage|CPU load",
	  .text =
	      "Most tools (top, ps, GNU time) call one busy core 100 %, so that 250 % are two "
	      "and a half cores; some call the whole machine 100 %. Since nobody can tell which "
	      "is meant, sonde counts cores.",
	  .figures = "totals.cores_mean totals.cores_peak",
	  .see = "sonde show --series cores" },
	{ .name = "thread",
	  .group = CPU,
	  .also = "threads|multithreading|OpenMP|OMP_NUM_THREADS",
	  .text = "One line of work within a process. Threads of one process share its memory, as "
		  "cooks share a kitchen, and each may run on a core of its own. More threads than "
		  "cores take turns, which wins nothing and costs some time; OMP_NUM_THREADS and "
		  "its kin limit the number in many libraries.",
	  .figures = "totals.threads_peak limits.cores totals.cores_mean",
	  .see = "sonde show --series threads" },
	{ .name = "GIL",
	  .group = CPU,
	  .also = "global interpreter lock|python threads",
	  .text =
	      "The global interpreter lock of Python: a talking stick that a thread must hold "
	      "to run Python code, so that only one thread of a process does so at a time. Eight "
	      "Python threads in a pure Python loop are as fast as one. Libraries such as numpy "
	      "put the stick down while they compute; several processes have one each.",
	  .figures = "totals.threads_peak totals.cores_mean",
	  .see = "sonde show --series cores" },
	{ .name = "context switch",
	  .group = CPU,
	  .also = "switches|voluntary switch|involuntary switch|preemption",
	  .text =
	      "A core stops working on one thread and takes up another. It is voluntary when "
	      "the thread had to wait for something anyway, and involuntary when its turn was "
	      "over and somebody else wanted the core. Many involuntary ones say that there are "
	      "more busy threads than cores.",
	  .figures = "totals.switches_voluntary totals.switches_involuntary totals.wait_cpu_s",
	  .see = "sonde show" },
	{ .name = "waiting for a CPU",
	  .group = CPU,
	  .also = "run queue|CPU wait|wait_cpu|scheduling delay",
	  .text =
	      "Time in which a thread was ready to run and no core was free for it, added up "
	      "over all threads: the time spent standing in the queue at the till. The reason is "
	      "others on the machine, a quota, or more threads of your own than cores.",
	  .figures = "totals.wait_cpu_s totals.wall_s totals.threads_peak limits.cores",
	  .see = "sonde show" },
	{ .name = "load",
	  .group = CPU,
	  .also = "load average|uptime|machine load",
	  .text = "How many tasks of the whole machine want a core, or wait for storage; the "
		  "kernel's figure is smoothed over one minute. A load above the number of cores "
		  "means that some of them stand in a queue. On a shared machine it tells "
		  "whether others were in the way.",
	  .figures = "totals.machine_load_mean totals.machine_load_peak machine.cores",
	  .see = "sonde show --series machine_load" },
	{ .name = "steal",
	  .group = CPU,
	  .also = "steal time|stolen time|st",
	  .text = "On a virtual machine: time in which it wanted to work, and the real machine "
		  "below gave the core to somebody else. To the program it is as if the clock had "
		  "jumped. Much steal makes timings worthless; run again at another time or on "
		  "another machine.",
	  .figures = "totals.machine_steal_s totals.wall_s",
	  .see = "sonde show --series machine_steal_s" },
	{ .name = "niceness",
	  .group = CPU,
	  .also = "nice|renice|priority",
	  .text =
	      "How readily a process lets others go first: from -20 (pushes) over 0 (as usual) "
	      "to 19 (steps aside for everybody). It matters only while cores are short. "
	      "Everybody may make a program nicer, with 'nice -n 10 CMD'; only root may make it "
	      "less nice.",
	  .figures = "totals.wait_cpu_s",
	  .see = "sonde show" },
	{ .name = "quota",
	  .group = CPU,
	  .also = "CPU quota|throttling|throttled|cpu limit|cfs",
	  .text = "A limit on CPU time that a container or job may use, a tenth of a second at a "
		  "time: a quota of two cores allows 0.2 s of CPU time in each 0.1 s. When that is "
		  "used up, everything in it is held back until the next tenth begins - that is "
		  "throttling. The machine's other cores may be idle meanwhile.",
	  .figures = "limits.cores_quota totals.cgroup_throttled_s totals.cores_peak",
	  .see = "sonde show" },
	{ .name = "affinity",
	  .group = CPU,
	  .also = "CPU affinity|pinning|taskset|cpuset|binding",
	  .text = "The set of cores that a process is allowed to run on. A cluster pins a job to "
		  "the cores that it asked for, so a program that counts the machine's cores and "
		  "starts as many threads starts too many. 'nproc' counts the allowed ones.",
	  .figures = "limits.cores_affinity machine.cores totals.threads_peak",
	  .see = "sonde show" },
	{ .name = "clock rate",
	  .group = CPU,
	  .also = "frequency|GHz|turbo|cpufreq",
	  .text =
	      "How many steps a core takes in a second; 3 GHz are three thousand million. It "
	      "falls when many cores are busy or the machine is hot, so one core alone is often "
	      "faster than one of many. Virtual machines mostly do not tell it.",
	  .figures = "totals.frequency_mean_hz totals.frequency_peak_hz",
	  .see = "sonde doctor cpu" },

	{ .name = "memory",
	  .group = MEMORY,
	  .also = "RAM|main memory",
	  .text = "Where a program keeps what it works with while it runs: the desk, where storage "
		  "is the shelf. It is fast, small and empty after the end. When the desk is full "
		  "the machine swaps, or ends a program.",
	  .figures = "totals.memory_tree_peak_bytes limits.memory_bytes",
	  .see = "sonde show --series memory_tree_bytes" },
	{ .name = "peak memory",
	  .group = MEMORY,
	  .also = "maximum memory|max RSS|MaxRSS|VmHWM|high-water mark|memory peak",
	  .text =
	      "The most memory that was held at any one moment. It is what a job must ask for: "
	      "a second above the limit is enough to be killed. That of the largest process is "
	      "exact, from the kernel; that of all processes together is looked at from time to "
	      "time and has a bracket.",
	  .figures = "totals.memory_tree_peak_bytes totals.memory_process_peak_bytes "
		     "limits.memory_bytes",
	  .see = "sonde show --series memory_tree_bytes" },
	{ .name = "RSS",
	  .group = MEMORY,
	  .also = "resident set size|resident memory|RES|resident",
	  .text = "Resident set size: the memory of a process that is in RAM now. Memory that "
		  "several processes share is counted in full for each of them, so adding up the "
		  "RSS of workers gives too much - ten people who share a car do not own ten. PSS "
		  "counts it once.",
	  .figures = "totals.memory_process_peak_bytes",
	  .see = "sonde show --tree" },
	{ .name = "PSS",
	  .group = MEMORY,
	  .also = "proportional set size|proportional",
	  .text = "Proportional set size: as RSS, but of memory that n processes share each is "
		  "charged one n-th. So the PSS of all processes may be added up and gives what "
		  "they really hold. The kernel needs a while to count it, so sonde asks for it "
		  "within its budget, and near each new maximum.",
	  .figures = "totals.memory_tree_peak_bytes totals.memory_process_peak_bytes",
	  .see = "sonde show" },
	{ .name = "shared memory",
	  .group = MEMORY,
	  .also = "shm|/dev/shm|shared pages|copy on write",
	  .text = "Memory that several processes see at the same time: libraries, files that are "
		  "mapped, what a parent had before it started workers, and /dev/shm. It exists "
		  "once, however many use it. Files in /dev/shm are memory, too, and stay until "
		  "somebody removes them.",
	  .figures = "totals.memory_tree_peak_bytes",
	  .see = "sonde show --tree" },
	{ .name = "virtual memory",
	  .group = MEMORY,
	  .also = "VSZ|VIRT|address space|vsize",
	  .text =
	      "The addresses that a process has reserved, whether anything stands behind them "
	      "or not: a booking, not a guest. It may be many times the machine's memory without "
	      "harm. What counts is what is in RAM, the RSS.",
	  .figures = "totals.memory_process_peak_bytes limits.memory_ulimit_bytes",
	  .see = "sonde show" },
	{ .name = "swap",
	  .group = MEMORY,
	  .also = "swapping|paging|swapped out|thrashing",
	  .text = "Storage that stands in for memory when that is full: pages are moved out, and "
		  "back when they are needed, a thousand times slower than memory. A program that "
		  "swaps crawls. Many clusters have none, and end the program instead.",
	  .figures = "totals.swap_peak_bytes totals.faults_major machine.swap_bytes",
	  .see = "sonde show" },
	{ .name = "page cache",
	  .group = MEMORY,
	  .also = "cache|buff/cache|file cache|cached files|buffers",
	  .text =
	      "Memory that nobody needs just now, in which the kernel keeps the files that were "
	      "read or written last. A second read of a file comes from there and is much "
	      "faster, so the first run of a program is often the slowest. It is given back at "
	      "once when programs want memory; a cgroup's memory includes it.",
	  .figures = "totals.io_read_bytes totals.storage_read_bytes "
		     "totals.memory_cgroup_peak_bytes",
	  .see = "sonde show" },
	{ .name = "page fault",
	  .group = MEMORY,
	  .also = "page|minor fault|major fault|faults|minor page fault|major page fault",
	  .text =
	      "Memory is handed out in pages, of 4 KiB mostly, and only when the program first "
	      "touches them: each time the kernel steps in, and that is a page fault. A minor "
	      "one takes a page of memory that is free, and is quick. A major one must read from "
	      "storage first, and is slow; many of them mean that memory is short.",
	  .figures = "totals.faults_minor totals.faults_major",
	  .see = "sonde show" },
	{ .name = "memory leak",
	  .group = MEMORY,
	  .also = "leak|growing memory",
	  .text =
	      "Memory that a program took and forgot to give back. It grows with time though "
	      "the work stays the same, until there is none left. A line that climbs to the end "
	      "is the sign; one that climbs and then stays level is not.",
	  .figures = "totals.memory_tree_peak_bytes totals.memory_tree_mean_bytes",
	  .see = "sonde show --series memory_tree_bytes" },
	{ .name = "OOM killer",
	  .group = MEMORY,
	  .also = "OOM|out of memory|oom-kill|oom kill|killed for memory|MemoryError",
	  .text =
	      "When memory runs out - of the machine, or of the job's limit - the kernel ends a "
	      "process at once, with SIGKILL, to save the rest; mostly the largest. The program "
	      "cannot say a word about it: it is just gone, often with exit status 137. Ask "
	      "for more memory, or hold less of the data at a time.",
	  .figures = "totals.cgroup_oom_kills totals.memory_tree_peak_bytes limits.memory_bytes",
	  .see = "sonde show" },
	{ .name = "GiB and GB",
	  .group = MEMORY,
	  .also = "GiB|GB|MiB|MB|KiB|kB|gigabyte|gibibyte|byte|bytes|units",
	  .text = "1 GB is 1000 x 1000 x 1000 bytes, 1 GiB is 1024 x 1024 x 1024: 7 % more. sonde "
		  "writes memory in GiB, as kernels and schedulers count it (the G of --mem=6G is "
		  "GiB), and input and output in GB, as disks are sold.",
	  .figures = "totals.memory_tree_peak_bytes totals.io_read_bytes",
	  .see = "sonde show" },

	{ .name = "I/O",
	  .group = IO,
	  .also = "io|input and output|input/output|read|write|reading|writing",
	  .text =
	      "All that goes into a program and comes out of it: files, pipes, the network, the "
	      "terminal. 'read' and 'written' count every byte that passed, also those that the "
	      "page cache had at hand.",
	  .figures = "totals.io_read_bytes totals.io_write_bytes totals.io_read_calls "
		     "totals.io_write_calls",
	  .see = "sonde show --series io_read_bytes" },
	{ .name = "storage",
	  .group = IO,
	  .also = "disk|storage read|read from storage|written to storage|SSD|file system",
	  .text =
	      "Where files stay: disks, and the file servers of a cluster. 'Read from storage' "
	      "is less than 'read' where the page cache had it, and can be more where the kernel "
	      "read ahead. Bytes from a file server over the network are not in it on every "
	      "system.",
	  .figures = "totals.storage_read_bytes totals.storage_write_bytes totals.io_read_bytes",
	  .see = "sonde show --series storage_read_bytes" },
	{ .name = "waiting for storage",
	  .group = IO,
	  .also = "I/O wait|iowait|io wait|wait_io|disk wait|D state",
	  .text = "Time in which the program could not go on because storage had not answered yet. "
		  "More cores do not help then; fewer and larger reads do, a faster disk does, and "
		  "so does reading while computing.",
	  .figures = "totals.wait_io_s totals.machine_iowait_s totals.storage_read_bytes",
	  .see = "sonde show" },
	{ .name = "system call",
	  .group = IO,
	  .also = "syscall|system calls|read calls|write calls",
	  .text = "A program asks the kernel for something: to read, to write, to start a process. "
		  "Each is a walk to the counter and back, some tenths of a microsecond at least. "
		  "Ten million reads of one byte cost much more than ten reads of a million.",
	  .figures = "totals.io_read_calls totals.io_read_bytes totals.io_write_calls "
		     "totals.io_write_bytes",
	  .see = "sonde show" },
	{ .name = "pipe",
	  .group = IO,
	  .also = "pipeline|broken pipe|SIGPIPE|141",
	  .text =
	      "A hose from one program's output to another's input, the | of the shell. It holds "
	      "little (64 KiB), so the faster program waits for the slower. If the reader goes "
	      "away, the writer is ended by SIGPIPE: a \"broken pipe\", and mostly no fault.",
	  .figures = "totals.io_write_bytes totals.processes",
	  .see = "sonde show --tree" },
	{ .name = "file descriptor",
	  .group = IO,
	  .also = "descriptor|open files|too many open files|EMFILE|fd|ulimit -n",
	  .text =
	      "A number by which a process knows a file, pipe or connection that it has open. A "
	      "process may have only so many at a time, often 1024; \"Too many open files\" says "
	      "that this was reached. Mostly something opens files and forgets to close them.",
	  .figures = "limits.open_files",
	  .see = "sonde show" },
	{ .name = "full disk",
	  .group = IO,
	  .also = "no space left on device|ENOSPC|disk quota|quota exceeded|EDQUOT|inode",
	  .text =
	      "There is no room left to write: the disk is full, or you have reached your share "
	      "of it (a disk quota, in bytes or in number of files). 'df -h .' shows the disk, "
	      "and 'quota -s' or a command of your centre the share. Results written after "
	      "that moment are missing.",
	  .figures = "totals.io_write_bytes totals.storage_write_bytes",
	  .see = "sonde doctor recordings" },

	{ .name = "process",
	  .group = PROCESSES,
	  .also = "processes|program|pid|task",
	  .text = "A program that runs, with memory of its own. The same program started twice is "
		  "two processes, and a program may start others: a shell starts each command as a "
		  "process. The pid is its number.",
	  .figures = "totals.processes totals.processes_peak",
	  .see = "sonde show --tree" },
	{ .name = "process tree",
	  .group = PROCESSES,
	  .also = "tree|child|children|parent|fork|worker|subprocess|descendants",
	  .text = "A process, all that it started, all that those started, and so on. sonde "
		  "measures the whole tree, so that the cost of a script includes each command in "
		  "it, however short.",
	  .figures = "totals.processes totals.processes_peak totals.memory_tree_peak_bytes",
	  .see = "sonde show --tree" },
	{ .name = "zombie",
	  .group = PROCESSES,
	  .also = "defunct|zombie process",
	  .text =
	      "A process that has ended, and whose parent has not yet asked how. It uses no CPU "
	      "and no memory, only its number. A few are harmless; many thousands can fill the "
	      "table of processes.",
	  .figures = "totals.processes",
	  .see = "sonde show --tree" },
	{ .name = "daemon",
	  .group = PROCESSES,
	  .also = "background process|service|double fork|nohup",
	  .text = "A process that left its terminal and its parents to go on by itself in the "
		  "background. sonde follows it all the same. What still runs when the program has "
		  "ended is named; 'sonde run --wait' stays for it.",
	  .figures = "totals.processes",
	  .see = "sonde show --tree" },
	{ .name = "exit status",
	  .group = PROCESSES,
	  .also = "exit code|return code|status|126|127|error code",
	  .text =
	      "The number that a program leaves at its end: 0 for fine, anything else for a "
	      "problem of its own making. 126 says that it could not be executed, 127 that it "
	      "was not found. Above 128 a shell means a signal: 137 is 128 + 9, SIGKILL. 'sonde "
	      "run' ends with the status of the program.",
	  .figures = "exit.status exit.signal",
	  .see = "sonde show" },
	{ .name = "signal",
	  .group = PROCESSES,
	  .also = "signals|kill|SIGINT|SIGHUP|Ctrl-C|130",
	  .text =
	      "A tap on a process's shoulder, by the kernel or by another process: a number "
	      "that says stop, go on, or end. Ctrl-C sends SIGINT. A program may listen to most "
	      "of them and tidy up first; nobody can refuse SIGKILL.",
	  .figures = "exit.signal",
	  .see = "sonde show" },
	{ .name = "SIGKILL",
	  .group = PROCESSES,
	  .also = "kill -9|signal 9|137|killed",
	  .text = "Signal 9 ends a process at once, without asking. When you did not send it, it "
		  "was most likely the OOM killer, or a scheduler whose limit was reached. The "
		  "program could not save anything.",
	  .figures = "exit.signal totals.memory_tree_peak_bytes limits.memory_bytes",
	  .see = "sonde show" },
	{ .name = "SIGTERM",
	  .group = PROCESSES,
	  .also = "signal 15|143|terminated",
	  .text = "Signal 15 asks a process to end. It may still save its work, and should do so "
		  "quickly: schedulers send it at the time limit, or when a job is cancelled, and "
		  "SIGKILL some seconds later.",
	  .figures = "exit.signal totals.wall_s limits.time_s",
	  .see = "sonde show" },
	{ .name = "segmentation fault",
	  .group = PROCESSES,
	  .also = "segfault|SIGSEGV|signal 11|139|invalid memory",
	  .text =
	      "The program reached for memory that is not its own, and the kernel ended it. It "
	      "is a mistake in compiled code: an index beyond the end of an array, a library of "
	      "the wrong version, or a stack that grew too large (try 'ulimit -s unlimited'). "
	      "It is not a lack of memory.",
	  .figures = "exit.signal",
	  .see = "sonde show" },
	{ .name = "core dump",
	  .group = PROCESSES,
	  .also = "core file|core dumped|coredumpctl",
	  .text = "A copy of a process's memory at the moment of its crash, in a file that a "
		  "debugger can open: a photograph of the accident. It is as large as the memory "
		  "was, and holds whatever the program held, secrets too. 'ulimit -c 0' turns it "
		  "off.",
	  .figures = "exit.signal totals.memory_process_peak_bytes",
	  .see = "sonde show" },
	{ .name = "limit",
	  .group = PROCESSES,
	  .also = "ulimit|rlimit|limits",
	  .text = "The most that a process, job or container may have: memory, cores, time, open "
		  "files, processes. Several hold at the same time - the shell's ulimit, the job's "
		  "request, the cgroup, the machine - and the least of them counts.",
	  .figures = "limits.cores limits.memory_bytes limits.time_s limits.open_files "
		     "limits.processes",
	  .see = "sonde show" },
	{ .name = "shared library",
	  .group = PROCESSES,
	  .also = "library|.so|cannot open shared object file|LD_LIBRARY_PATH|missing library",
	  .text = "Code in a file of its own (libfft.so.3) that programs load when they start. "
		  "\"cannot open shared object file\" says that it is not where the program looks: "
		  "load the module that it was built with, or set LD_LIBRARY_PATH. 'ldd PROGRAM' "
		  "lists what it needs.",
	  .figures = "exit.status",
	  .see = "sonde show" },

	{ .name = "node",
	  .group = CLUSTER,
	  .also = "compute node|host|machine|login node",
	  .text =
	      "One computer of a cluster. You log in to a login node, which all share; jobs run "
	      "on compute nodes. A program uses several nodes only if it was written for it, "
	      "with MPI for example.",
	  .figures = "machine.cores machine.memory_bytes",
	  .see = "sonde doctor machine" },
	{ .name = "job",
	  .group = CLUSTER,
	  .also = "batch job|job script|batch system|scheduler",
	  .text = "Work that you hand to a cluster, with a request for cores, memory and time. It "
		  "waits in a queue until a place that large is free, so a smaller request often "
		  "starts sooner. Put 'sonde run' before the command in the job script.",
	  .figures = "limits.cores_requested limits.memory_requested_bytes limits.time_s",
	  .see = "sonde doctor job" },
	{ .name = "Slurm",
	  .group = CLUSTER,
	  .also = "sbatch|srun|squeue|sacct",
	  .text = "A scheduler, the most common one on clusters: 'sbatch job.sh' hands in a job, "
		  "'squeue --me' shows yours. --cpus-per-task, --mem and --time say what it needs.",
	  .figures = "context.scheduler limits.cores_requested limits.memory_requested_bytes "
		     "limits.time_s",
	  .see = "sonde doctor job" },
	{ .name = "PBS",
	  .group = CLUSTER,
	  .also = "qsub|Torque|OpenPBS|Grid Engine|SGE|qstat",
	  .text =
	      "A scheduler, as Slurm is one: 'qsub job.sh' hands in a job, 'qstat' shows it. "
	      "'-l select=1:ncpus=4:mem=6gb' and '-l walltime=01:00:00' say what it needs. Grid "
	      "Engine has a qsub, too, with other options.",
	  .figures = "context.scheduler limits.cores_requested limits.memory_requested_bytes "
		     "limits.time_s",
	  .see = "sonde doctor job" },
	{ .name = "request",
	  .group = CLUSTER,
	  .also = "requested|--mem|--cpus-per-task|reservation|resources",
	  .text =
	      "What a job asks for before it starts. You get no more than that, and pay for it "
	      "whether you use it or not. Too little memory and the job is killed, too much and "
	      "it waits longer: ask for the measured peak and a margin, a fifth for example.",
	  .figures = "limits.cores_requested limits.memory_requested_bytes limits.time_s "
		     "totals.cores_mean totals.memory_tree_peak_bytes totals.wall_s",
	  .see = "sonde show" },
	{ .name = "wall-time limit",
	  .group = CLUSTER,
	  .also = "time limit|timeout|--time|walltime limit|TIMEOUT",
	  .text = "The longest that a job may run. At the limit it is asked to end (SIGTERM) and "
		  "soon after ended (SIGKILL), and what it did not save is lost. A shorter limit "
		  "often starts sooner, as it fits into gaps.",
	  .figures = "totals.wall_s limits.time_s",
	  .see = "sonde history" },
	{ .name = "queue",
	  .group = CLUSTER,
	  .also = "partition|waiting time|pending",
	  .text = "Where jobs wait for free nodes; Slurm calls it a partition. Each has its own "
		  "limits of time and size. How long you wait depends on what you ask for, on how "
		  "much you used lately, and on the others.",
	  .figures = "context.queue",
	  .see = "sonde doctor job" },
	{ .name = "rank",
	  .group = CLUSTER,
	  .also = "MPI|MPI rank|mpirun|tasks",
	  .text =
	      "One of the processes of an MPI program, which work on one problem and send each "
	      "other messages, perhaps from node to node. The slowest sets the pace: a rank that "
	      "waits for it often looks busy.",
	  .figures = "totals.processes_peak totals.cores_mean",
	  .see = "sonde show --tree" },
	{ .name = "cgroup",
	  .group = CLUSTER,
	  .also = "control group|cgroups|cgroup v2|memory.max",
	  .text = "A fence that the kernel draws around processes, with limits of CPU and memory "
		  "for all of them together. Clusters, containers and system services each put "
		  "theirs around what they start. Its memory includes cached files, so it may lie "
		  "above what the program itself has.",
	  .figures = "totals.memory_cgroup_peak_bytes limits.memory_cgroup_bytes "
		     "limits.cores_quota totals.cgroup_throttled_s",
	  .see = "sonde doctor cgroup" },
	{ .name = "container",
	  .group = CLUSTER,
	  .also = "Docker|Apptainer|Singularity|Podman|image",
	  .text = "A program packed with all files that it needs, and run behind a fence: its own "
		  "view of files and processes, its own cgroup. It is no machine of its own, and "
		  "uses the kernel, cores and memory of the one below.",
	  .figures = "limits.cores limits.memory_bytes",
	  .see = "sonde doctor machine" },
	{ .name = "pod",
	  .group = CLUSTER,
	  .also = "Kubernetes|k8s|Kubernetes pod|JupyterHub|OOMKilled",
	  .text =
	      "What Kubernetes starts and counts: one container, or a few that belong together. "
	      "Its request is what it is sure to get, its limit what it may not pass: above the "
	      "CPU limit it is throttled, above the memory limit killed (OOMKilled).",
	  .figures =
	      "limits.cores_quota limits.memory_cgroup_bytes totals.memory_cgroup_peak_bytes",
	  .see = "sonde doctor cgroup" },
	{ .name = "virtual machine",
	  .group = CLUSTER,
	  .also = "VM|hypervisor|cloud instance|guest",
	  .text =
	      "A machine that is itself a program on a larger one. Its cores may be shared with "
	      "other guests (see steal), and it mostly sees no clock rate, no power meter and "
	      "no hardware counters.",
	  .figures = "totals.machine_steal_s machine.cores",
	  .see = "sonde doctor machine" },
	{ .name = "kernel",
	  .group = CLUSTER,
	  .also = "Linux kernel|operating system",
	  .text =
	      "The innermost part of the operating system. It hands out cores, memory and files "
	      "to programs, and keeps the accounts that sonde reads. Some of the accounts are "
	      "only open to root, or only there in newer versions.",
	  .figures = "totals.cpu_system_s",
	  .see = "sonde doctor" },
	{ .name = "GPU",
	  .group = CLUSTER,
	  .also = "graphics card|CUDA|GPU memory|accelerator",
	  .text = "A processor beside the CPU with thousands of small cores, for sums that are all "
		  "alike. It has memory of its own, and data must be carried there first. This "
		  "version of sonde does not measure it yet, and says so instead of showing 0.",
	  .figures = "totals.gpu_s totals.gpu_memory_peak_bytes",
	  .see = "sonde doctor" },

	{ .name = "measured",
	  .group = SONDE,
	  .also = "how we know|exact|source of a number",
	  .text = "The number was counted by the kernel, or read from a clock, and holds as it "
		  "stands. 'sonde show' names the place that it came from.",
	  .see = "sonde show" },
	{ .name = "estimated",
	  .group = SONDE,
	  .also = "about|estimate|uncertain",
	  .text = "The number was put together from what could be seen, and may be off; \"about\" "
		  "stands before it. 'sonde show' says why, and where it is known, between which "
		  "bounds the truth lies.",
	  .see = "sonde show" },
	{ .name = "absent",
	  .group = SONDE,
	  .also = "not measured|missing|n/a|null",
	  .text =
	      "Nobody could read the number: the machine does not tell it, or you may not ask. "
	      "It is never shown as 0, since 0 would be a claim. 'sonde doctor' says what would "
	      "open it.",
	  .see = "sonde doctor" },
	{ .name = "bracket",
	  .group = SONDE,
	  .also = "low and high|bounds|between|range",
	  .text =
	      "Two bounds with the truth between them. The memory of several processes is looked "
	      "at a few times a second, so a peak between two looks could be missed; the bracket "
	      "says how much at most. A narrow one is as good as exact; to be safe ask for the "
	      "upper end.",
	  .figures = "totals.memory_tree_peak_bytes totals.memory_process_peak_bytes",
	  .see = "sonde show" },
	{ .name = "sampling",
	  .group = SONDE,
	  .also = "sample|tick|look|looks|sampled",
	  .text = "Looking again and again instead of watching all the time, as a doctor feels the "
		  "pulse. It costs the program nothing, and what happens between two looks is not "
		  "seen. Totals (CPU time, bytes) do not suffer from it: the kernel counts those "
		  "without a break.",
	  .figures = "sonde.ticks sonde.interval_s",
	  .see = "sonde show --series cores" },
	{ .name = "interval",
	  .group = SONDE,
	  .also = "time between two looks|resolution|--interval",
	  .text = "The time between two looks, a tenth of a second if you ask for nothing else. "
		  "Shorter shows shorter spikes and costs more; sonde looks less often by itself "
		  "when its budget is used up.",
	  .figures = "sonde.interval_asked_s sonde.interval_s",
	  .see = "sonde run --interval 20ms python fit.py" },
	{ .name = "budget",
	  .group = SONDE,
	  .also = "overhead|cost of sonde|own cost|--budget",
	  .text = "How much of one core sonde may use for itself, 1 % if you ask for nothing else. "
		  "It measures itself and prints what it cost. Of a very short run, starting up is "
		  "the larger part of that.",
	  .figures = "own.cpu_s own.share own.memory_peak_bytes",
	  .see = "sonde show" },
	{ .name = "gap",
	  .group = SONDE,
	  .also = "gaps|suspended|missing ticks",
	  .text =
	      "A time in which nobody looked: the laptop slept, the job was stopped, the machine "
	      "was overloaded. It stays empty in every series, and nothing is made up to fill "
	      "it. Totals are not touched by it.",
	  .figures = "sonde.gaps sonde.gaps_s",
	  .see = "sonde show --series cores" },
	{ .name = "recording",
	  .group = SONDE,
	  .also = "NAME.sonde|.sonde|run|journal|run id",
	  .text = "The file that each run leaves: all totals, each process, and every metric over "
		  "time. It is in ./.sonde where that directory exists, else in "
		  "~/.local/share/sonde. All that 'sonde show' prints comes from it, years later, "
		  "too.",
	  .see = "sonde history" },
	{ .name = "metric",
	  .group = SONDE,
	  .also = "metrics|total|totals|counter|gauge|series",
	  .text =
	      "Something that is measured, with a name that ends in its unit: io_read_bytes, "
	      "wait_cpu_s. A counter only grows, as the kilometres of a car, and has a total; a "
	      "gauge goes up and down, as its speed, and has a peak and a mean. 'sonde explain' "
	      "takes the name of a metric, too.",
	  .see = "sonde show --json" },
	{ .name = "phase",
	  .group = SONDE,
	  .also = "mark|phases|marks|stage|section",
	  .text = "A part of a run with a name - load, fit, write - that begins and ends at marks. "
		  "The program sets them, or a script around it. Then time, CPU and memory can be "
		  "told for each part, and not only for the whole.",
	  .see = "sonde show" },
	{ .name = "perf events",
	  .group = SONDE,
	  .also = "perf|events|perf_event_paranoid|perf counters",
	  .text = "A way in which the kernel tells about every start and end of a process, as a "
		  "doorman does. Where it is open, sonde knows even children that live for a tenth "
		  "of a millisecond. Many systems close it to ordinary users.",
	  .figures = "sonde.events",
	  .see = "sonde doctor processes" },
	{ .name = "pressure",
	  .group = SONDE,
	  .also = "PSI|pressure stall|stall",
	  .text = "The kernel's account of time lost in queues: how long at least one task of the "
		  "machine stood still for want of a core, of memory or of storage. It is of the "
		  "whole machine or cgroup, so it also shows what others suffer.",
	  .figures = "totals.pressure_cpu_s totals.pressure_memory_s totals.pressure_io_s",
	  .see = "sonde doctor machine" },

	{ .name = "energy",
	  .group = ENERGY,
	  .also = "joule|J|watt|W|kWh|watt-hour|power|kJ|RAPL",
	  .text =
	      "A watt is how fast energy is used, a joule is one watt for one second, and a kWh "
	      "is 3.6 million joules. A busy core takes some watts, and a whole server some "
	      "hundreds even when it does little. This version of sonde does not measure energy "
	      "yet, and says so instead of guessing.",
	  .figures = "totals.energy_j",
	  .see = "sonde doctor" },
	{ .name = "CO2e",
	  .group = ENERGY,
	  .also = "carbon|CO2|carbon footprint|emissions|greenhouse gas",
	  .text =
	      "Greenhouse gases, as the amount of carbon dioxide that would do the same harm. For "
	      "computing it is the energy times what the power plants of that place and hour "
	      "emit, from about 20 to 900 g for each kWh. Making the machine comes on top.",
	  .figures = "totals.co2e_g totals.energy_j",
	  .see = "sonde doctor" },
	{ 0 }
};
