import type { Log } from '#log/log-events.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { loadingBar } from './loading-bar.ts'
import type { Loading } from './loading.ts'
import type { Terminal } from './terminal-bar.ts'

export interface LoadingDeps {
  terminal: Terminal
  clock: Clock
  log: Log
}

/** A bar on a terminal; elsewhere a line for each beginning and each end. */
export const openLoading = ({ terminal, clock, log }: LoadingDeps): Loading =>
  terminal.isTTY === true ? loadingBar(terminal, clock) : loadingLines(log, clock)

const loadingLines = (log: Log, clock: Clock): Loading => ({
  begin(what) {
    const startedAt = clock.now()
    log('speech_model_loading', { what })
    return (outcome) => {
      if (outcome === 'loaded') log('speech_model_loaded', { what, ms: clock.now() - startedAt })
    }
  },
  close: () => {},
})
