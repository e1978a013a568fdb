import type { CallParts } from '../call/parts.ts'
import type { FlowRuntime } from '../ports/flow-runtime.ts'

/** What the switchboard works with. */
export interface Board extends CallParts {
  flows: FlowRuntime
  /** Where the installation is: how carriers' national numbers are read. */
  country: string
  /** The next member of a group to begin with, for groups that take turns. */
  turns: Map<string, number>
}
