#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

const char *signal_name(int number); /* "SIGTERM"; NULL for those that have no name of their own */

#endif
