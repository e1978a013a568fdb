import type { Call, TransferringContext } from '#core/telephone/call/call.ts'
import type { CallGuide } from '#core/kernel/ports/call-guide.ts'
import type { FaxIntake } from '#core/kernel/ports/fax-intake.ts'
import type { FlowRuntime } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import type { ReplacementOptions, DialTarget } from './ring-target.ts'

/** What the switchboard works with. */
export interface RoutingContext extends TransferringContext {
  flows: FlowRuntime
  faxes: FaxIntake
  /** What accounts' own software wants to become of their calls. */
  guide: CallGuide
  /** Where the installation is: how carriers' national numbers are read. */
  country: string
  /** The next member of a group to begin with, for groups that take turns. */
  turns: Map<string, number>
  /** `refer`: phones that support REFER are asked to call a transfer target by themselves. */
  transferBy: 'bridge' | 'refer'
  /** See Replacement. */
  replace: (call: Call, options: ReplacementOptions, aim: () => Promise<DialTarget | Cause>) => Promise<void>
}
