import { Problem } from '@offhook/contract/problem.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { PeerNodes } from '#core/kernel/ports/neighbours.ts'
import { Calls, type NameObserver } from '../state/calls.ts'
import { carryOut, type CommandDeps } from './call-command.ts'
import { outcomeOf, type Outcome } from './outcome.ts'
import { callSubject, listed, listSubject, ownerSubject, type CallQuestion } from './subjects.ts'

export interface AnswerDeps extends Omit<CommandDeps, 'calls'> {
  bus: Bus
  neighbours: Pick<PeerNodes, 'self'>
  /** Resolves when what was noted about calls until now can be read in the store. */
  written: () => Promise<void>
  wallClock: Clock
  onError: (error: unknown, callId: string) => void
}

/** How far the clocks of two machines may be apart. */
const clocksApartMs = 2_000

/** The calls of this process, which answers to others for each as long as it has it. Alone it answers to nobody. */
export const callsForOthers = (deps: AnswerDeps): Calls => {
  const { bus } = deps
  if (bus.alone) return new Calls()
  const answering = new Map<string, () => void>()
  const names: NameObserver = {
    known(name) {
      const subject = callSubject(name)
      if (subject !== undefined)
        answering.set(
          name,
          bus.answer(subject, (question) => answer(question as CallQuestion)),
        )
    },
    unknown(name) {
      answering.get(name)?.()
      answering.delete(name)
    },
  }
  const calls = new Calls(names)
  const answer = (question: CallQuestion): Promise<Outcome<unknown>> =>
    outcomeOf(
      () => answered({ ...deps, calls }, question),
      (error) => deps.onError(error, question.callId),
    )
  bus.answer(ownerSubject(deps.neighbours.self), (question) => answer(question as CallQuestion))
  bus.answer(listSubject, (caller) => listed(calls, deps.neighbours.self, caller as UserCaller))
  return calls
}

/** What the caller may do was checked where the request came in; what the caller may do with this call is known only here. */
const answered = async (deps: AnswerDeps & CommandDeps, { caller, callId, command, until }: CallQuestion): Promise<unknown> => {
  if (deps.wallClock.now() > until + clocksApartMs) throw new Problem('outcome_unknown')
  if (command) return carryOut(deps, caller, callId, command)
  const call = deps.calls.get(caller, callId)
  await deps.written()
  return { callId: call.callId }
}
