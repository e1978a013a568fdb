import type { Logger } from 'pino'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { loadingBar } from './loading-bar.ts'
import type { Loading } from './loading.ts'
import type { Terminal } from './terminal-bar.ts'

export interface LoadingParts {
  terminal: Terminal
  clock: Clock
  logger: Pick<Logger, 'info'>
}

/** A bar on a terminal; elsewhere a line for each beginning and each end. */
export const openLoading = ({ terminal, clock, logger }: LoadingParts): Loading =>
  terminal.isTTY === true ? loadingBar(terminal, clock) : loadingLines(logger, clock)

const loadingLines = (logger: LoadingParts['logger'], clock: Clock): Loading => ({
  begin(what) {
    const began = clock.now()
    logger.info(`${what} is being loaded`)
    return (outcome) => {
      if (outcome === 'loaded') logger.info({ ms: clock.now() - began }, `${what} is ready`)
    }
  },
  close: () => {},
})
