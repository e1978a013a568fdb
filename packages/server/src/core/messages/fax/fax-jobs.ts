import type { Task } from '#core/kernel/work/worker.ts'
import { reportJobs, type ReportDeps } from './state/fax-report.ts'
import { sendJob, type FaxName } from './state/schedule-sending.ts'

export interface FaxJobsDeps extends ReportDeps {
  /** Starts sending a due fax. */
  send: (fax: FaxName) => Promise<void>
}

/** Scheduled jobs of faxes. */
export const faxJobs = ({ send, ...report }: FaxJobsDeps): Record<string, Task> => ({
  [sendJob]: (payload) => send(payload as FaxName),
  ...reportJobs(report),
})
