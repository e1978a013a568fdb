import { Problem } from '@offhook/contract/problem.ts'
import type { Bus, Clock, PeerNodes } from '#core/kernel/ports/platform.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { Calls, type NameObserver } from '../state/calls.ts'
import {
  carryOut,
  type CommandDeps,
  outcomeOf,
  type Outcome,
  callSubject,
  listed,
  listSubject,
  ownerSubject,
  type CallQuestion,
} from './call-command.ts'

interface AnswerDeps extends Omit<CommandDeps, 'calls'> {
  bus: Bus
  peerNodes: Pick<PeerNodes, 'self'>
  /** Resolves when all call records noted so far are readable in the store. */
  written: () => Promise<void>
  wallClock: Clock
  onError: (error: unknown, callId: string) => void
}

/** Allowed clock skew between two machines. */
const clocksApartMs = 2_000

/** The calls of this node. Answers requests from other nodes for each call it owns; a single node answers none. */
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
  bus.answer(ownerSubject(deps.peerNodes.self), (question) => answer(question as CallQuestion))
  bus.answer(listSubject, (caller) => listed(calls, deps.peerNodes.self, caller as UserCaller))
  return calls
}

/** The node that received the request checked the caller's scopes; only this node can check access to the call. */
const answered = async (deps: AnswerDeps & CommandDeps, { caller, callId, command, until }: CallQuestion): Promise<unknown> => {
  if (deps.wallClock.now() > until + clocksApartMs) throw new Problem('outcome_unknown')
  if (command) return carryOut(deps, caller, callId, command)
  const call = deps.calls.get(caller, callId)
  await deps.written()
  return { callId: call.callId }
}
