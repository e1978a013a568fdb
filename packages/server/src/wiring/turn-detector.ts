import type { TurnDetector } from '#core/kernel/ports/assistant/turn-detector.ts'
import type { Log } from '#log/log-events.ts'
import type { Settings } from '#settings/config.ts'
import type { Open } from './closing.ts'

/** The model of the operator's, if there is one. Most installations have none, and do not load its modules. */
export const openTurnDetector = async ({
  settings: { OFFHOOK_TURN_MODEL: file },
  platform: { log },
  open,
}: {
  settings: Settings
  platform: { log: Log }
  open: Open
}): Promise<TurnDetector | undefined> => {
  if (file === undefined) return undefined
  const { TurnModel } = await import('#adapters/speech/turns/turn-model.ts')
  return open(new TurnModel(file, log))
}
