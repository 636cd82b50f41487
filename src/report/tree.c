/* Rows of a recording name their parents by id, in any order; a damaged or hostile one may name
 * itself, form rings or be a chain of 100,000. So the tree is laid out in arrays, every row is
 * reached exactly once from some root, and depth is cut where the page gets too narrow. */
#include "report/page.h"

#include "base/mem.h"
#include "report/grid.h"
#include "report/words.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_ROWS 20
#define FOLD_FROM 4 /* leaves of one name below one parent, in short */
#define STEP 3      /* columns a level */
#define NUMBER_COLUMNS 37
#define NAME_COLUMNS 20

#define NOBODY SIZE_MAX

struct node {
	const struct process *process;
	size_t parent, child, next; /* places in the array, or NOBODY */
	bool reached;
	double count;     /* processes of this row and all below */
	struct cost cost; /* of this row and all below */
};

struct tree {
	const struct facts *facts;
	struct node *nodes;
	size_t *order; /* of being reached: parents before children */
	size_t count, n_reached;
	size_t root; /* first of the roots, linked by next */
	bool in_short;
	size_t most_rows, most_depth, rows;
	double shown; /* processes */
	struct cost shown_cost;
	struct grid grid;
	const struct look *look;
};

/* What is printed in a line: a row with its branch, or many leaves of one name. */
struct item {
	size_t node;
	const char *name;
	double count;
	struct cost cost; /* of its own */
	double branch_cpu_s;
	bool folded;
};

static int by_id(const void *left, const void *right)
{
	const struct node *a = left, *b = right;

	return a->process->id < b->process->id ? -1 : a->process->id > b->process->id;
}

static size_t find_node(const struct tree *tree, uint32_t id)
{
	struct process wanted = { .id = id };
	struct node key = { .process = &wanted };
	struct node *found = bsearch(&key, tree->nodes, tree->count, sizeof(*tree->nodes), by_id);

	return found ? (size_t)(found - tree->nodes) : NOBODY;
}

static void link_node(struct tree *tree, size_t i)
{
	size_t parent = tree->nodes[i].parent;
	size_t *head = parent == NOBODY ? &tree->root : &tree->nodes[parent].child;

	tree->nodes[i].next = *head;
	*head = i;
}

/* Reaches a root and all below it, breadth first. */
static void reach(struct tree *tree, size_t root)
{
	size_t at = tree->n_reached;

	tree->nodes[root].reached = true;
	tree->order[tree->n_reached++] = root;
	for (; at < tree->n_reached; at++) {
		size_t child = tree->nodes[tree->order[at]].child;

		for (; child != NOBODY; child = tree->nodes[child].next) {
			tree->nodes[child].reached = true;
			tree->order[tree->n_reached++] = child;
		}
	}
}

/* A row that no root leads to is part of a ring: cut it off its parent there. */
static void cut_ring(struct tree *tree, size_t i)
{
	size_t *link = &tree->nodes[tree->nodes[i].parent].child;

	while (*link != i)
		link = &tree->nodes[*link].next;
	*link = tree->nodes[i].next;
	tree->nodes[i].parent = NOBODY;
	link_node(tree, i);
}

static void sum_up(struct tree *tree)
{
	for (size_t i = tree->n_reached; i-- > 0;) {
		struct node *node = &tree->nodes[tree->order[i]];

		if (node->parent == NOBODY)
			continue;
		tree->nodes[node->parent].count += node->count;
		page_cost_add(&tree->nodes[node->parent].cost, &node->cost);
	}
}

static void tree_grow(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct process *process = &tree->facts->processes[i];

		tree->nodes[i] = (struct node){ .process = process,
						.child = NOBODY,
						.count = (double)process->count,
						.cost = page_cost(tree->facts, process) };
	}
	qsort(tree->nodes, tree->count, sizeof(*tree->nodes), by_id);
	for (size_t i = 0; i < tree->count; i++) {
		uint32_t parent = tree->nodes[i].process->parent;

		tree->nodes[i].parent = parent ? find_node(tree, parent) : NOBODY;
	}
	for (size_t i = tree->count; i-- > 0;)
		link_node(tree, i);
	for (size_t i = tree->root; i != NOBODY; i = tree->nodes[i].next)
		reach(tree, i);
	for (size_t i = 0; i < tree->count; i++) {
		if (!tree->nodes[i].reached) {
			cut_ring(tree, i);
			reach(tree, i);
		}
	}
	sum_up(tree);
}

static const char *name_of(const struct process *process)
{
	return process->name ? process->name : "";
}

static struct item item_of(const struct tree *tree, size_t i)
{
	const struct process *process = tree->nodes[i].process;

	return (struct item){ .node = i,
			      .name = name_of(process),
			      .count = (double)process->count,
			      .cost = page_cost(tree->facts, process),
			      .branch_cpu_s = tree->nodes[i].cost.cpu_s.number };
}

static bool is_leaf(const struct tree *tree, const struct item *item)
{
	return tree->nodes[item->node].child == NOBODY;
}

/* Leaves first, those of one name side by side. qsort_r's last argument. */
static int for_folding(const void *left, const void *right, void *context)
{
	const struct tree *tree = context;
	const struct item *a = left, *b = right;
	int order = is_leaf(tree, b) - is_leaf(tree, a);

	if (order == 0)
		order = strcmp(a->name, b->name);
	return order ? order : a->node < b->node ? -1 : a->node > b->node;
}

static int costliest_first(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	if (a->branch_cpu_s != b->branch_cpu_s)
		return a->branch_cpu_s > b->branch_cpu_s ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static size_t run_of_leaves(const struct tree *tree, const struct item *items, size_t count)
{
	size_t n = 1;

	while (n < count && is_leaf(tree, &items[0]) && is_leaf(tree, &items[n]) &&
	       strcmp(items[0].name, items[n].name) == 0)
		n++;
	return n;
}

static size_t fold(struct tree *tree, struct item *items, size_t count)
{
	size_t kept = 0;

	qsort_r(items, count, sizeof(*items), for_folding, tree);
	for (size_t i = 0; i < count;) {
		size_t n = run_of_leaves(tree, items + i, count - i);
		struct item sum = items[i];

		if (n < FOLD_FROM) {
			items[kept++] = items[i++];
			continue;
		}
		for (size_t j = 1; j < n; j++) {
			sum.count += items[i + j].count;
			sum.branch_cpu_s += items[i + j].branch_cpu_s;
			page_cost_add(&sum.cost, &items[i + j].cost);
		}
		sum.folded = true;
		items[kept++] = sum;
		i += n;
	}
	return kept;
}

/* The lines that stand below a node (or, of NOBODY, at the top). The caller frees *ret. */
static size_t items_below(struct tree *tree, size_t first, struct item **ret)
{
	size_t count = 0;
	struct item *items;

	for (size_t i = first; i != NOBODY; i = tree->nodes[i].next)
		count++;
	items = mem_new(count * sizeof(*items));
	count = 0;
	for (size_t i = first; i != NOBODY; i = tree->nodes[i].next)
		items[count++] = item_of(tree, i);
	if (tree->in_short)
		count = fold(tree, items, count);
	qsort(items, count, sizeof(*items), costliest_first);
	*ret = items;
	return count;
}

static void add_cells(struct tree *tree, const char *first, const struct cost *cost,
		      const char *lived)
{
	char words[HUMAN_BYTES];

	grid_add(&tree->grid, first);
	grid_add(&tree->grid, page_value("cpu_s", UNIT_SECONDS, cost->cpu_s, words));
	grid_add(&tree->grid, page_value("memory_bytes", UNIT_BYTES, cost->memory_bytes, words));
	grid_add(&tree->grid, lived);
	tree->rows++;
}

static const char *lived(const struct process *process, char *ret)
{
	if (process->ended_ns == PROCESS_ALIVE)
		return strcpy(ret, "lives on");
	if (process->ended_ns < process->started_ns)
		return strcpy(ret, "-");
	return human_duration((double)(process->ended_ns - process->started_ns) / 1e9, ret);
}

static void add_item(struct tree *tree, const char *branch, const struct item *item)
{
	CLEANUP(text_clear) struct text first = { 0 };
	const struct process *process = tree->nodes[item->node].process;
	bool many = item->count > 1;
	char words[HUMAN_BYTES];

	text_add(&first, branch);
	text_add(&first,
		 process->command && *process->command && !many ? process->command : item->name);
	if (many)
		text_add_format(&first, " x %s", human_count(item->count, words));
	add_cells(tree, text_string(&first), &item->cost, many ? "" : lived(process, words));
	tree->shown += item->count;
	page_cost_add(&tree->shown_cost, &item->cost);
}

static void add_cut(struct tree *tree, const char *branch, const struct node *node)
{
	CLEANUP(text_clear) struct text first = { 0 };
	struct cost below = node->cost, own = page_cost(tree->facts, node->process);
	double count = node->count - (double)node->process->count;
	char words[HUMAN_BYTES];

	below.cpu_s.number -= own.cpu_s.number;
	text_add_format(&first, "%s(%s more below)", branch, human_count(count, words));
	add_cells(tree, text_string(&first), &below, "");
	tree->shown += count;
	page_cost_add(&tree->shown_cost, &below);
}

/* `stem` is what stands before the branches of this level. */
static void add_level(struct tree *tree, size_t first, const char *stem, size_t depth)
{
	CLEANUP(freep) struct item *items = NULL;
	size_t count = items_below(tree, first, &items);
	bool unicode = tree->look->unicode;

	for (size_t i = 0; i < count && tree->rows < tree->most_rows; i++) {
		CLEANUP(text_clear) struct text branch = { 0 }, below = { 0 };
		const struct node *node = &tree->nodes[items[i].node];
		bool last = i + 1 == count;

		text_add(&branch, stem);
		text_add(&below, stem);
		if (depth > 0) {
			text_add(&branch, unicode ? last ? "└─ " : "├─ " : last ? "`- " : "|- ");
			text_add(&below, last ? "   " : unicode ? "│  " : "|  ");
		}
		add_item(tree, text_string(&branch), &items[i]);
		if (node->child == NOBODY || items[i].folded)
			continue;
		if (depth < tree->most_depth) {
			add_level(tree, node->child, text_string(&below), depth + 1);
		} else {
			text_add(&below, unicode ? "└─ " : "`- ");
			add_cut(tree, text_string(&below), node);
		}
	}
}

/* What did not fit into the short form. */
static void add_left(struct tree *tree)
{
	CLEANUP(text_clear) struct text first = { 0 };
	struct cost left = { 0 };
	double count = 0;
	char words[HUMAN_BYTES];

	for (size_t i = tree->root; i != NOBODY; i = tree->nodes[i].next) {
		count += tree->nodes[i].count;
		page_cost_add(&left, &tree->nodes[i].cost);
	}
	if (count <= tree->shown)
		return;
	left.cpu_s.number -= tree->shown_cost.cpu_s.number;
	left.memory_bytes = value_absent();
	text_add_format(&first, "(%s more: sonde show --tree)",
			human_count(count - tree->shown, words));
	add_cells(tree, text_string(&first), &left, "");
}

/* So deep that a name still has room beside the numbers. */
static size_t deepest(const struct look *look)
{
	int room = look->columns - NUMBER_COLUMNS - NAME_COLUMNS;

	return room > 2 * STEP ? (size_t)(room / STEP) : 2;
}

void page_tree(const struct facts *facts, bool in_short, const struct look *look, FILE *out)
{
	static const struct grid_column columns[] = {
		{ .title = "who started whom", .gives_way = true },
		{ .title = "CPU time", .right = true },
		{ .title = "peak memory", .right = true },
		{ .title = "lived", .right = true },
	};
	CLEANUP(freep) struct node *nodes = mem_new(facts->n_processes * sizeof(*nodes));
	CLEANUP(freep) size_t *order = mem_new(facts->n_processes * sizeof(*order));
	struct tree tree = { .facts = facts,
			     .nodes = nodes,
			     .order = order,
			     .count = facts->n_processes,
			     .root = NOBODY,
			     .in_short = in_short,
			     .most_rows = in_short ? SHORT_ROWS : SIZE_MAX,
			     .most_depth = deepest(look),
			     .look = look };

	grid_init(&tree.grid, columns, COUNT(columns));
	tree_grow(&tree);
	add_level(&tree, tree.root, "", 0);
	add_left(&tree);
	grid_print(&tree.grid, 0, look, out);
	grid_clear(&tree.grid);
}
