/* SPDX-License-Identifier: MIT */
#include "interrupt.h"

#include <csignal>

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
    g_interrupted = 1;
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
