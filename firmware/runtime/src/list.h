/* Doubly linked rings with a cursor: ready lists rotate by it, wait lists are plain FIFOs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct list;

typedef struct node {
    struct node *next;
    struct node *previous;
    struct list *list;
    void *owner;
} node_t;

typedef struct list {
    node_t end;
    node_t *cursor;
} list_t;

static inline void list_init(list_t *list)
{
    list->end.next = &list->end;
    list->end.previous = &list->end;
    list->cursor = &list->end;
}

static inline bool list_is_empty(const list_t *list)
{
    return list->end.next == &list->end;
}

static inline void list_insert_before(list_t *list, node_t *position, node_t *node)
{
    node->next = position;
    node->previous = position->previous;
    position->previous->next = node;
    position->previous = node;
    node->list = list;
}

/* Makes `node` the one the cursor reaches last. */
static inline void list_append(list_t *list, node_t *node)
{
    list_insert_before(list, list->cursor, node);
}

static inline void list_remove(node_t *node)
{
    if (node->list == NULL) {
        return;
    }
    if (node->list->cursor == node) {
        node->list->cursor = node->previous;
    }
    node->previous->next = node->next;
    node->next->previous = node->previous;
    node->list = NULL;
}

/* Moves the cursor to the next node and returns its owner; the list must not be empty. */
static inline void *list_rotate(list_t *list)
{
    list->cursor = list->cursor->next;
    if (list->cursor == &list->end) {
        list->cursor = list->end.next;
    }
    return list->cursor->owner;
}
