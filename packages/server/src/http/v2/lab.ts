import type { labOperations } from '@offhook/contract/v2/lab.ts'
import { runLab } from '#core/assistant/lab/run-lab.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

export const labHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'calls' | 'timelines' | 'recordingFiles' | 'speech'>,
): Handlers<typeof labOperations> => ({
  /** It tells what was said, as a recording does. */
  runLab: async ({ caller, params: { callId }, body }) => {
    const report = await runLab(deps, caller, callId, body)
    await deps.store.write((tables) => auditByUser(tables, deps.clock, caller, 'lab.run', callId))
    return report
  },
})
