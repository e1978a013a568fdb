import type { Stack } from '../request/stack.ts'
import type { Session } from './session.ts'
import type { TimerPolicy } from './session-timer.ts'

/** What sessions share beyond what every request does. */
export interface SessionStack extends Stack {
  readonly timer: TimerPolicy
  /** The session whose dialog this is, tags as seen from us. */
  readonly find: (callId: string, localTag: string, remoteTag: string) => Session | undefined
}
