import { constants } from 'node:os'
import { createRequire } from 'node:module'

/** `PR_SET_PDEATHSIG` of prctl(2). */
const signalAtParentsDeath = 1

/**
 * SIGTERM when the parent process ends. npx puts a shell in between, which dies of the SIGTERM meant for us and does not forward it: the
 * service would stay behind without a parent to end it.
 */
export const endWithParent = (): void => {
  if (process.platform !== 'linux') return
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
    const prctl = koffi.load(null).func('int prctl(int option, unsigned long value)')
    prctl(signalAtParentsDeath, constants.signals.SIGTERM)
  } catch {
    // Without koffi a signal to npx ends npx only.
  }
}
