import { SimpleGrid } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useMe } from '#api/use-me.ts'
import { useRead } from '#api/use-service.ts'
import { useText } from '#words/use-text.tsx'
import { FirstStep } from './first-step.tsx'
import { text } from './text.ts'

const every = 15_000

/** Nothing of them is drawn, only how many there are. */
const unread = { read: false, limit: 1 }

/** What somebody who only telephones wants to know first: whether they can be reached, who spoke to the voicemail, and whom they missed. */
export const MyDesk = () => {
  const say = useText(text)
  const may = useMay()
  const mayRead = may('CAN_GET_HISTORY')
  const look = { every, when: mayRead }
  const voicemails = useRead('listOwnHistory', { ...unread, types: ['VOICEMAIL'] }, look)
  const missed = useRead('listOwnHistory', { ...unread, types: ['CALL'], directions: ['MISSED_INCOMING'] }, look)
  const unheard = voicemails.data?.totalCount ?? 0
  const unseen = missed.data?.totalCount ?? 0
  const reachable = useReachable()
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
      {may('CAN_INITIATE_CALLS') && (
        <FirstStep icon="phone" title={say.myPhone} body={reachable} action={say.openPhone} to="/phone" primary />
      )}
      {mayRead && (
        <FirstStep icon="voicemail" title={say.myVoicemail} body={say.unheard(unheard)} action={say.openVoicemail} to="/calls/voicemail" />
      )}
      {mayRead && (
        <FirstStep
          icon="phoneIn"
          title={say.missedCalls}
          body={say.unseen(unseen)}
          action={say.openMissed}
          to="/calls?type=CALL&direction=MISSED_INCOMING"
        />
      )}
    </SimpleGrid>
  )
}

/** Where it rings for the person at this moment. */
const useReachable = (): string => {
  const say = useText(text)
  const mayRead = useMay()('CAN_GET_DEVICES')
  const userId = useMe()?.id ?? ''
  const devices = useRead('listUserDevices', { userId }, { every, when: mayRead && userId !== '' }).data?.items ?? []
  const names = devices.filter((device) => device.online && !device.dnd).map(({ alias }) => alias)
  return names.length === 0 ? say.unreachable : say.reachable(names.join(', '))
}
