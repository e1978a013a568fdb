import type { CallParts } from '../call/parts.ts'
import type { FlowRuntime } from '../ports/flow-runtime.ts'
import type { TrunkChoice } from './trunk-choice.ts'

/** What the switchboard works with. */
export interface Board extends CallParts {
  flows: FlowRuntime
  trunks: TrunkChoice
  /** Where the installation is: how carriers' national numbers are read. */
  country: string
  /** The next member of a group to begin with, for groups that take turns. */
  turns: Map<string, number>
}
