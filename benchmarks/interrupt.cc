/* SPDX-License-Identifier: MIT */
#include "interrupt.h"

#include <cerrno>
#include <csignal>

#include <unistd.h>

namespace weft
{
namespace
{

volatile std::sig_atomic_t g_interrupted = 0;

extern "C" void on_signal(int signal)
{
    if (g_interrupted) { /* a second one: what the signal does by itself */
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    static const char message[] = "weft-bench: interrupted: ends with this batch; a second signal "
                                  "ends at once, and leaves the results incomplete\n";

    const int interrupted_errno = errno; /* of the code that is interrupted */

    g_interrupted = 1;
    if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
        errno = interrupted_errno; /* nobody to tell */
}

} // namespace

void install_interrupt_handlers()
{
    struct sigaction action = {};

    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool interrupted()
{
    return g_interrupted != 0;
}

} // namespace weft
