import type { RunningCall } from '#core/telephone/call/state/calls.ts'
import type { Command, Heard } from './model-types.ts'
import type { ScriptedLeg } from '../ports/scripted-leg.ts'

/** True if the phone was put on hold: it hears music and is silent. */
const isHeld = ({ log }: ScriptedLeg): boolean => log.findLast((what) => what.startsWith('hold ')) === 'hold true'

/** Sound at a scripted phone, derived from the commands to it and to the others. Announcements are checked elsewhere. */
export const heardBy = (legs: ReadonlyMap<string, ScriptedLeg>, leg: ScriptedLeg): Heard => {
  if (leg.over || !leg.answered || leg.heldByPeer) return { voices: [], rest: 'nothing' }
  const music = isHeld(leg) || leg.playing.some(({ sound }) => 'music' in sound)
  if (music) return { voices: [], rest: 'music' }
  if (leg.playing.some(({ sound }) => 'tone' in sound && sound.tone === 'ringback')) return { voices: [], rest: 'ringing' }
  const heard = leg.hears.filter((other) => !isHeld(other) && !other.heldByPeer)
  return { voices: [...legs].filter(([, other]) => heard.includes(other)).map(([name]) => name), rest: 'nothing' }
}

/** All announcements to it. */
export const announcedTo = ({ log }: ScriptedLeg): string[] =>
  log.filter((what) => what.startsWith('announce ')).map((what) => what.slice(9))

export const keysAt = ({ log }: ScriptedLeg): string =>
  log
    .filter((what) => what.startsWith('dtmf '))
    .map((what) => what.slice(5))
    .join('')

export interface Asking {
  userId: string
  numberOf: (name: string) => string
}

export const perform = (call: RunningCall, command: Command, { userId, numberOf }: Asking): Promise<void> => {
  switch (command.do) {
    case 'hold':
      return call.hold(command.value)
    case 'mute':
      return call.mute(command.value)
    case 'record':
      return call.record(command.value, command)
    case 'dtmf':
      return call.sendDtmf(command.sequence)
    case 'announce':
      return call.announce(() => Promise.resolve({ wav: new Uint8Array(1) }))
    case 'transfer':
      return call.transfer({ userId, to: numberOf(command.to), attended: command.attended, callerId: undefined })
    case 'hangUp':
    default:
      return call.hangUp()
  }
}
