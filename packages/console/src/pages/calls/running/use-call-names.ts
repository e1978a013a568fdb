import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { isFlowId } from '../parts/history-entry.ts'
import { text } from '../parts/text.ts'
import type { RunningCall } from './use-running-calls.ts'

type Participant = RunningCall['participants'][number]

/** Display names of the parties of running calls. */
export const useCallNames = () => {
  const say = useText(text)
  const { phone } = useFormat()
  const may = useMay()
  const flows = useRead('listFlows', undefined, { when: may('CAN_GET_FLOWS') })
  const nameOf = ({ phoneNumber, name }: Participant): string => {
    if (name !== undefined) return name
    if (phoneNumber === '') return say.withheld
    if (!isFlowId(phoneNumber)) return phone(phoneNumber)
    return flows.data?.items.find(({ id }) => id === phoneNumber)?.name ?? say.assistant
  }
  const namesOf = (participants: readonly Participant[]): string => participants.map(nameOf).join(', ')
  return {
    nameOf,
    /** The other party; all parties if they all belong to the account. */
    others: ({ participants }: RunningCall): string => {
      const others = participants.filter(({ owner }) => !owner)
      return namesOf(others.length > 0 ? others : participants) || say.withheld
    },
    /** The account's side of a call with another party. */
    own: ({ participants }: RunningCall): string =>
      participants.some(({ owner }) => !owner) ? namesOf(participants.filter(({ owner }) => owner)) : '',
  }
}
