import type { Call } from '../call/call.ts'
import type { CallParts } from '../call/parts.ts'
import type { FlowRuntime } from '../ports/flow-runtime.ts'
import type { Cause } from '../ports/telephony.ts'
import type { Aim, ReplacementOptions } from './replacement.ts'

/** What the switchboard works with. */
export interface Board extends CallParts {
  flows: FlowRuntime
  /** Where the installation is: how carriers' national numbers are read. */
  country: string
  /** The next member of a group to begin with, for groups that take turns. */
  turns: Map<string, number>
  /** See Replacement. */
  replace: (call: Call, options: ReplacementOptions, aim: () => Promise<Aim | Cause>) => Promise<void>
}
