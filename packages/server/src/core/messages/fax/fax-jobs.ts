import type { Task } from '#core/kernel/work/worker.ts'
import { reportJobs, type ReportDeps } from './state/fax-report.ts'
import { sendJob, type FaxName } from './state/schedule-sending.ts'

export interface FaxJobsDeps extends ReportDeps {
  /** Begins to send a fax that is due. */
  send: (fax: FaxName) => Promise<void>
}

/** Scheduled work on faxes. */
export const faxJobs = ({ send, ...report }: FaxJobsDeps): Record<string, Task> => ({
  [sendJob]: (payload) => send(payload as FaxName),
  ...reportJobs(report),
})
