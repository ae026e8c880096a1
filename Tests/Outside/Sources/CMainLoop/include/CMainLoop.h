#pragma once

int gettid(void);

/* What the tests use of GLib, without its headers. */
static const unsigned G_IO_IN = 1;
typedef struct _GMainLoop GMainLoop;
GMainLoop *g_main_loop_new(void *context, int is_running);
void g_main_loop_run(GMainLoop *loop);
void g_main_loop_quit(GMainLoop *loop);
unsigned g_unix_fd_add(int fd, unsigned condition, int (*function)(int fd, unsigned condition, void *data), void *data);

/* Of libdispatch, as the document shows it. */
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);
