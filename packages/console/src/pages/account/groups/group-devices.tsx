import { Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { api } from '#api/client.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { DeviceTicks, type TickedDevice } from '../parts/device-ticks.tsx'
import { fullName } from '#lazy-parts/people.ts'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'

/** Which devices of the members ring with the group. */
export const GroupDevices = ({ groupId, members }: { groupId: string; members: readonly string[] }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const ringing = useRead('listGroupDevices', { groupId }).data?.items
  const devices = useDevicesOf(members)
  const done = { refreshes: ['listGroupDevices', 'listUserDevices'], onDone: () => toast.done(saved) } as const
  const add = useWrite('addGroupDevice', done)
  const remove = useWrite('removeGroupDevice', done)
  const failed = { onError: (error: unknown) => toast.failed(error) }
  const change = (deviceId: string, on: boolean): void =>
    on ? add.mutate([{ groupId }, { deviceId }], failed) : remove.mutate([{ groupId, deviceId }], failed)
  return (
    <Section title={say.devices} description={say.devicesHint}>
      {devices.length === 0 ? (
        <Text size="sm">{say.noDevices}</Text>
      ) : (
        <DeviceTicks
          devices={devices}
          ticked={new Set(ringing?.map(({ id }) => id))}
          disabled={!ringing || add.isPending || remove.isPending}
          onTick={change}
        />
      )}
    </Section>
  )
}

const useDevicesOf = (members: readonly string[]): TickedDevice[] => {
  const users = useRead('listUsers').data?.items ?? []
  const found = useQueries({
    queries: members.map((userId) => ({ queryKey: ['listUserDevices', { userId }], queryFn: () => api.listUserDevices({ userId }) })),
  })
  return found.flatMap(({ data }, place) => {
    const user = users.find(({ id }) => id === members[place])
    return (data?.items ?? []).map(({ id, alias, type }) => ({ id, alias, type, ...(user && { owner: fullName(user) }) }))
  })
}
