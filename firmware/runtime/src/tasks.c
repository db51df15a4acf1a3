#include "freertos/task.h"

#include <picotls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "esp_system.h"
#include "kernel.h"
#include "port.h"

#define STACK_ALIGNMENT 16U
#define CANARY_BYTES 16

static_assert(sizeof(StaticTask_t) >= sizeof(task_t), "StaticTask_t is too small");

task_t *volatile current_task;

static list_t ready[configMAX_PRIORITIES];
static list_t delayed; /* sorted by wake_tick, first come first */
static list_t suspended;
static list_t terminated;
static UBaseType_t highest_ready;
static UBaseType_t task_count;
static task_t *idle_task;
static volatile uint64_t tick_count;
static volatile uint32_t scheduler_locks;
static volatile bool scheduler_running;
static bool switch_at_next_tick;
static bool lists_initialised;

static void initialise_lists(void)
{
    for (size_t i = 0; i < configMAX_PRIORITIES; i++) {
        list_init(&ready[i]);
    }
    list_init(&delayed);
    list_init(&suspended);
    list_init(&terminated);
    lists_initialised = true;
}

static void make_ready(task_t *task)
{
    if (task->priority > highest_ready) {
        highest_ready = task->priority;
    }
    list_append(&ready[task->priority], &task->state_node);
}

static bool is_ready(const task_t *task)
{
    return task->state_node.list == &ready[task->priority];
}

/* True when a task that just became ready must preempt; asks for the switch where it can. */
static bool preempts(const task_t *task)
{
    if (!scheduler_running || task->priority <= current_task->priority) {
        return false;
    }
    if (xPortInIsrContext()) {
        switch_at_next_tick = true;
    } else {
        port_request_switch();
    }
    return true;
}

uint64_t kernel_deadline(TickType_t ticks)
{
    return ticks == portMAX_DELAY ? NEVER : tick_count + ticks;
}

bool kernel_expired(uint64_t deadline)
{
    return tick_count >= deadline;
}

static void insert_delayed(task_t *task)
{
    node_t *position = delayed.end.next;
    while (position != &delayed.end &&
           ((task_t *)position->owner)->wake_tick <= task->wake_tick) {
        position = position->next;
    }
    list_insert_before(&delayed, position, &task->state_node);
}

void kernel_block(list_t *waiters, uint64_t deadline)
{
    task_t *task = current_task;
    configASSERT(scheduler_running && scheduler_locks == 0);
    configASSERT(port_in_outermost_section() && "blocking in an interrupt or critical section");
    list_remove(&task->state_node);
    task->wake_tick = deadline;
    task->delay_aborted = false;
    if (deadline == NEVER) {
        list_append(&suspended, &task->state_node);
    } else {
        insert_delayed(task);
    }
    if (waiters != NULL) {
        list_append(waiters, &task->event_node);
    }
    port_request_switch();
}

bool kernel_wake(task_t *task)
{
    list_remove(&task->event_node);
    list_remove(&task->state_node);
    make_ready(task);
    return preempts(task);
}

task_t *kernel_first_waiter(const list_t *waiters)
{
    task_t *best = NULL;
    for (node_t *node = waiters->end.next; node != &waiters->end; node = node->next) {
        task_t *task = node->owner;
        if (best == NULL || task->priority > best->priority) {
            best = task;
        }
    }
    return best;
}

bool kernel_wake_first(const list_t *waiters)
{
    task_t *task = kernel_first_waiter(waiters);
    return task != NULL && kernel_wake(task);
}

static void set_effective_priority(task_t *task, UBaseType_t priority)
{
    if (task->priority == priority) {
        return;
    }
    bool was_ready = is_ready(task);
    if (was_ready) {
        list_remove(&task->state_node);
    }
    task->priority = priority;
    if (was_ready) {
        make_ready(task);
    }
}

void kernel_mutex_taken(void)
{
    if (current_task != NULL) {
        current_task->mutexes_held++;
    }
}

void kernel_mutex_inherit(task_t *holder)
{
    if (holder != NULL && holder->priority < current_task->priority) {
        set_effective_priority(holder, current_task->priority);
    }
}

void kernel_mutex_given(task_t *holder)
{
    if (holder != NULL && --holder->mutexes_held == 0 &&
        holder->priority != holder->base_priority) {
        set_effective_priority(holder, holder->base_priority);
        port_request_switch();
    }
}

void kernel_mutex_wait_abandoned(task_t *holder, const list_t *waiters)
{
    if (holder == NULL || holder->mutexes_held != 1) {
        return;
    }
    task_t *waiter = kernel_first_waiter(waiters);
    UBaseType_t priority = holder->base_priority;
    if (waiter != NULL && waiter->priority > priority) {
        priority = waiter->priority;
    }
    set_effective_priority(holder, priority);
}

static bool has_ready_peers(void)
{
    const list_t *peers = &ready[current_task->priority];
    return peers->end.next != peers->end.previous;
}

void kernel_ticks(uint32_t elapsed)
{
    tick_count += elapsed;
    while (!list_is_empty(&delayed)) {
        task_t *task = delayed.end.next->owner;
        if (task->wake_tick > tick_count) {
            break;
        }
        if (kernel_wake(task)) {
            port_request_switch();
        }
    }
    if (has_ready_peers() || switch_at_next_tick) {
        port_request_switch();
    }
    switch_at_next_tick = false;
}

uint32_t kernel_idle_ticks(void)
{
    if (highest_ready > tskIDLE_PRIORITY || has_ready_peers() || !list_is_empty(&terminated)) {
        return 0;
    }
    if (list_is_empty(&delayed)) {
        return UINT32_MAX;
    }
    uint64_t ahead = ((const task_t *)delayed.end.next->owner)->wake_tick - tick_count;
    return ahead < UINT32_MAX ? (uint32_t)ahead : UINT32_MAX;
}

static void check_stack(const task_t *task)
{
    bool overflowed = (uint8_t *)task->stack_pointer < task->stack_low + CANARY_BYTES;
    for (int i = 0; i < CANARY_BYTES && !overflowed; i += sizeof(uint32_t)) {
        overflowed = *(const uint32_t *)(task->stack_low + i) != STACK_FILL * 0x01010101U;
    }
    if (overflowed) {
        static char message[80];
        snprintf(message, sizeof message,
                 "\n***ERROR*** A stack overflow in task %s has been detected.", task->name);
        esp_system_abort(message);
    }
}

static void select_next(void)
{
    while (list_is_empty(&ready[highest_ready])) {
        highest_ready--;
    }
    current_task = list_rotate(&ready[highest_ready]);
}

void kernel_switch(void)
{
    check_stack(current_task);
    select_next();
}

static void task_returned(void)
{
    static char message[80];
    snprintf(message, sizeof message,
             "FreeRTOS Task \"%s\" should not return, Aborting now!", current_task->name);
    esp_system_abort(message);
}

/* Calls the task's function; a task function must not return, as in ESP-IDF. */
static void task_entry(void *argument)
{
    const uint32_t *start = argument;
    ((TaskFunction_t)start[0])((void *)start[1]);
    task_returned();
}

static void release(task_t *task)
{
    if (!task->is_static) {
        free(task->stack_low);
        free(task);
    }
}

/* Lays out a stack from its top: thread-local storage, the start record, the first context. */
static void prepare_stack(task_t *task, TaskFunction_t code, void *parameters)
{
    memset(task->stack_low, STACK_FILL, (size_t)(task->stack_high - task->stack_low));
    uintptr_t top = (uintptr_t)task->stack_high - _tls_size();
    top &= ~(uintptr_t)(STACK_ALIGNMENT - 1);
    void *tls = (void *)top;
    _init_tls(tls);
    uint32_t *start = (uint32_t *)(top - STACK_ALIGNMENT);
    start[0] = (uint32_t)code;
    start[1] = (uint32_t)parameters;
    task->stack_pointer = port_first_context(start, task_entry, start, tls);
}

static TaskHandle_t create(task_t *task, uint8_t *stack, uint32_t stack_size, bool is_static,
                           TaskFunction_t code, const char *name, void *parameters,
                           UBaseType_t priority)
{
    configASSERT(priority < configMAX_PRIORITIES);
    memset(task, 0, sizeof *task);
    task->stack_low =
        (uint8_t *)(((uintptr_t)stack + STACK_ALIGNMENT - 1) & ~(STACK_ALIGNMENT - 1));
    task->stack_high = (uint8_t *)(((uintptr_t)stack + stack_size) & ~(STACK_ALIGNMENT - 1));
    task->priority = task->base_priority = priority;
    task->is_static = is_static;
    task->state_node.owner = task->event_node.owner = task;
    strncpy(task->name, name != NULL ? name : "", sizeof task->name - 1);
    prepare_stack(task, code, parameters);

    vPortEnterCritical();
    if (!lists_initialised) {
        initialise_lists();
    }
    task_count++;
    make_ready(task);
    preempts(task);
    vPortExitCritical();
    return task;
}

BaseType_t xTaskCreatePinnedToCore(TaskFunction_t code, const char *name, uint32_t stack_size,
                                   void *parameters, UBaseType_t priority, TaskHandle_t *created,
                                   BaseType_t core)
{
    (void)core;
    uint8_t *stack = malloc(stack_size);
    task_t *task = malloc(sizeof *task);
    if (stack == NULL || task == NULL) {
        free(stack);
        free(task);
        return errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY;
    }
    if (created != NULL) {
        *created = task;
    }
    create(task, stack, stack_size, false, code, name, parameters, priority);
    return pdPASS;
}

BaseType_t xTaskCreate(TaskFunction_t code, const char *name, configSTACK_DEPTH_TYPE stack_size,
                       void *parameters, UBaseType_t priority, TaskHandle_t *created)
{
    return xTaskCreatePinnedToCore(code, name, stack_size, parameters, priority, created,
                                   tskNO_AFFINITY);
}

TaskHandle_t xTaskCreateStaticPinnedToCore(TaskFunction_t code, const char *name,
                                           uint32_t stack_size, void *parameters,
                                           UBaseType_t priority, StackType_t *stack,
                                           StaticTask_t *task, BaseType_t core)
{
    (void)core;
    configASSERT(stack != NULL && task != NULL);
    return create((task_t *)task, stack, stack_size, true, code, name, parameters, priority);
}

TaskHandle_t xTaskCreateStatic(TaskFunction_t code, const char *name, uint32_t stack_size,
                               void *parameters, UBaseType_t priority, StackType_t *stack,
                               StaticTask_t *task)
{
    return xTaskCreateStaticPinnedToCore(code, name, stack_size, parameters, priority, stack,
                                         task, tskNO_AFFINITY);
}

static task_t *or_current(TaskHandle_t task)
{
    return task != NULL ? task : current_task;
}

void vTaskDelete(TaskHandle_t handle)
{
    vPortEnterCritical();
    task_t *task = or_current(handle);
    list_remove(&task->event_node);
    list_remove(&task->state_node);
    task_count--;
    bool is_self = task == current_task;
    if (is_self) {
        list_append(&terminated, &task->state_node);
        port_request_switch();
    }
    vPortExitCritical();
    if (!is_self) {
        release(task);
    }
}

void vTaskDelay(TickType_t ticks)
{
    if (ticks == 0) {
        taskYIELD();
        return;
    }
    vPortEnterCritical();
    kernel_block(NULL, tick_count + ticks);
    vPortExitCritical();
}

BaseType_t xTaskDelayUntil(TickType_t *previous_wake, TickType_t increment)
{
    vPortEnterCritical();
    TickType_t wake = *previous_wake + increment;
    TickType_t remaining = wake - (TickType_t)tick_count;
    *previous_wake = wake;
    bool must_wait = remaining != 0 && remaining <= increment;
    if (must_wait) {
        kernel_block(NULL, tick_count + remaining);
    }
    vPortExitCritical();
    return must_wait;
}

BaseType_t xTaskAbortDelay(TaskHandle_t task)
{
    vPortEnterCritical();
    bool was_blocked = eTaskGetState(task) == eBlocked;
    if (was_blocked) {
        task->delay_aborted = true;
        kernel_wake(task);
    }
    vPortExitCritical();
    return was_blocked;
}

UBaseType_t uxTaskPriorityGet(TaskHandle_t task)
{
    return or_current(task)->priority;
}

void vTaskPrioritySet(TaskHandle_t handle, UBaseType_t priority)
{
    configASSERT(priority < configMAX_PRIORITIES);
    vPortEnterCritical();
    task_t *task = or_current(handle);
    bool has_inherited = task->priority != task->base_priority;
    task->base_priority = priority;
    if (!has_inherited || priority > task->priority) {
        set_effective_priority(task, priority);
        if (task == current_task ? priority < highest_ready : is_ready(task)) {
            port_request_switch();
        }
    }
    vPortExitCritical();
}

void vTaskSuspend(TaskHandle_t handle)
{
    vPortEnterCritical();
    task_t *task = or_current(handle);
    list_remove(&task->event_node);
    list_remove(&task->state_node);
    task->wake_tick = NEVER;
    task->notify_state = task->notify_state == NOTIFY_WAITING ? NOTIFY_IDLE : task->notify_state;
    list_append(&suspended, &task->state_node);
    if (task == current_task) {
        port_request_switch();
    }
    vPortExitCritical();
}

/* On the suspended list and waiting for nothing: suspended, not blocked without a time limit. */
static bool is_suspended(const task_t *task)
{
    return task->state_node.list == &suspended && task->event_node.list == NULL &&
           task->notify_state != NOTIFY_WAITING;
}

void vTaskResume(TaskHandle_t task)
{
    vPortEnterCritical();
    if (is_suspended(task)) {
        kernel_wake(task);
    }
    vPortExitCritical();
}

BaseType_t xTaskResumeFromISR(TaskHandle_t task)
{
    vPortEnterCritical();
    bool preempted = is_suspended(task) && kernel_wake(task);
    vPortExitCritical();
    return preempted;
}

void vTaskSuspendAll(void)
{
    scheduler_locks++;
}

BaseType_t xTaskResumeAll(void)
{
    vPortEnterCritical();
    configASSERT(scheduler_locks > 0);
    scheduler_locks--;
    vPortExitCritical();
    return pdFALSE;
}

TickType_t xTaskGetTickCount(void)
{
    return (TickType_t)tick_count;
}

TickType_t xTaskGetTickCountFromISR(void)
{
    return (TickType_t)tick_count;
}

UBaseType_t uxTaskGetNumberOfTasks(void)
{
    return task_count;
}

char *pcTaskGetName(TaskHandle_t task)
{
    return or_current(task)->name;
}

static task_t *find_by_name(const list_t *list, const char *name)
{
    for (node_t *node = list->end.next; node != &list->end; node = node->next) {
        task_t *task = node->owner;
        if (strncmp(task->name, name, sizeof task->name) == 0) {
            return task;
        }
    }
    return NULL;
}

TaskHandle_t xTaskGetHandle(const char *name)
{
    vPortEnterCritical();
    task_t *found = find_by_name(&delayed, name);
    if (found == NULL) {
        found = find_by_name(&suspended, name);
    }
    for (size_t i = 0; i < configMAX_PRIORITIES && found == NULL; i++) {
        found = find_by_name(&ready[i], name);
    }
    vPortExitCritical();
    return found;
}

TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    return current_task;
}

TaskHandle_t xTaskGetIdleTaskHandle(void)
{
    return idle_task;
}

UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t handle)
{
    const task_t *task = or_current(handle);
    const uint8_t *byte = task->stack_low;
    while (byte < task->stack_high && *byte == STACK_FILL) {
        byte++;
    }
    return (UBaseType_t)(byte - task->stack_low);
}

eTaskState eTaskGetState(TaskHandle_t task)
{
    vPortEnterCritical();
    eTaskState state = eBlocked;
    if (task == current_task) {
        state = eRunning;
    } else if (is_ready(task)) {
        state = eReady;
    } else if (task->state_node.list == &terminated || task->state_node.list == NULL) {
        state = eDeleted;
    } else if (is_suspended(task)) {
        state = eSuspended;
    }
    vPortExitCritical();
    return state;
}

BaseType_t xTaskGetSchedulerState(void)
{
    if (!scheduler_running) {
        return taskSCHEDULER_NOT_STARTED;
    }
    return scheduler_locks > 0 ? taskSCHEDULER_SUSPENDED : taskSCHEDULER_RUNNING;
}

static BaseType_t notify(task_t *task, uint32_t value, eNotifyAction action,
                         uint32_t *previous_value, BaseType_t *woken)
{
    configASSERT(task != NULL);
    BaseType_t result = pdPASS;
    vPortEnterCritical();
    uint8_t previous_state = task->notify_state;
    if (previous_value != NULL) {
        *previous_value = task->notify_value;
    }
    task->notify_state = NOTIFY_PENDING;
    switch (action) {
    case eSetBits:
        task->notify_value |= value;
        break;
    case eIncrement:
        task->notify_value++;
        break;
    case eSetValueWithOverwrite:
        task->notify_value = value;
        break;
    case eSetValueWithoutOverwrite:
        if (previous_state == NOTIFY_PENDING) {
            result = pdFAIL;
        } else {
            task->notify_value = value;
        }
        break;
    case eNoAction:
        break;
    }
    if (previous_state == NOTIFY_WAITING && kernel_wake(task) && woken != NULL) {
        *woken = pdTRUE;
    }
    vPortExitCritical();
    return result;
}

BaseType_t xTaskGenericNotify(TaskHandle_t task, uint32_t value, eNotifyAction action,
                              uint32_t *previous_value)
{
    return notify(task, value, action, previous_value, NULL);
}

BaseType_t xTaskGenericNotifyFromISR(TaskHandle_t task, uint32_t value, eNotifyAction action,
                                     uint32_t *previous_value, BaseType_t *woken)
{
    return notify(task, value, action, previous_value, woken);
}

void vTaskNotifyGiveFromISR(TaskHandle_t task, BaseType_t *woken)
{
    notify(task, 0, eIncrement, NULL, woken);
}

/* Blocks, inside a critical section, until a notification or the time limit. */
static void wait_for_notification(TickType_t ticks_to_wait)
{
    current_task->notify_state = NOTIFY_WAITING;
    kernel_block(NULL, kernel_deadline(ticks_to_wait));
    vPortExitCritical();
    vPortEnterCritical();
}

BaseType_t xTaskNotifyWait(uint32_t clear_on_entry, uint32_t clear_on_exit, uint32_t *value,
                           TickType_t ticks_to_wait)
{
    vPortEnterCritical();
    if (current_task->notify_state != NOTIFY_PENDING) {
        current_task->notify_value &= ~clear_on_entry;
        if (ticks_to_wait > 0) {
            wait_for_notification(ticks_to_wait);
        }
    }
    bool received = current_task->notify_state == NOTIFY_PENDING;
    if (value != NULL) {
        *value = current_task->notify_value;
    }
    if (received) {
        current_task->notify_value &= ~clear_on_exit;
    }
    current_task->notify_state = NOTIFY_IDLE;
    vPortExitCritical();
    return received;
}

uint32_t ulTaskNotifyTake(BaseType_t clear_on_exit, TickType_t ticks_to_wait)
{
    vPortEnterCritical();
    if (current_task->notify_value == 0 && ticks_to_wait > 0) {
        wait_for_notification(ticks_to_wait);
    }
    uint32_t value = current_task->notify_value;
    if (value != 0) {
        current_task->notify_value = clear_on_exit ? 0 : value - 1;
    }
    current_task->notify_state = NOTIFY_IDLE;
    vPortExitCritical();
    return value;
}

BaseType_t xTaskNotifyStateClear(TaskHandle_t handle)
{
    vPortEnterCritical();
    task_t *task = or_current(handle);
    bool was_pending = task->notify_state == NOTIFY_PENDING;
    if (was_pending) {
        task->notify_state = NOTIFY_IDLE;
    }
    vPortExitCritical();
    return was_pending;
}

uint32_t ulTaskNotifyValueClear(TaskHandle_t handle, uint32_t bits)
{
    vPortEnterCritical();
    task_t *task = or_current(handle);
    uint32_t previous = task->notify_value;
    task->notify_value &= ~bits;
    vPortExitCritical();
    return previous;
}

/* Frees the tasks that deleted themselves, lets its equals run, then sleeps until an interrupt. */
static void idle(void *arg)
{
    (void)arg;
    while (true) {
        vPortEnterCritical();
        task_t *dead = list_is_empty(&terminated) ? NULL : terminated.end.next->owner;
        if (dead != NULL) {
            list_remove(&dead->state_node);
        }
        vPortExitCritical();
        if (dead != NULL) {
            release(dead);
        } else if (has_ready_peers()) {
            taskYIELD();
        } else {
            port_sleep();
        }
    }
}

void kernel_start(void)
{
    static StaticTask_t idle_memory;
    static StackType_t idle_stack[configMINIMAL_STACK_SIZE] __attribute__((aligned(16)));
    idle_task = xTaskCreateStatic(idle, "IDLE", sizeof idle_stack, NULL, tskIDLE_PRIORITY,
                                  idle_stack, &idle_memory);
    select_next();
    scheduler_running = true;
    port_init();
    port_start_first_task();
}
