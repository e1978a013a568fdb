import { useParams, useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { RoutingSection } from '#lazy-parts/routing/routing-section.tsx'
import { useText } from '#words/use-text.tsx'
import { VoicemailSection } from '../voicemail/voicemail-section.tsx'
import { text } from './text.ts'
import { Button, Group as Row, Stack, Text } from '@mantine/core'
import { Section } from '#parts/page/section.tsx'
import { text as partsText } from '#parts/text.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { text as accountText } from '../parts/text.ts'
import { GroupFields, type GroupSettings, type GroupValues } from './group-fields.tsx'
import { useQueries } from '@tanstack/react-query'
import { api } from '#api/client.ts'
import { DeviceTicks, type TickedDevice } from '../parts/device-ticks.tsx'
import { fullName } from '#lazy-parts/people.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { PhoneNumber } from '#parts/value/values.tsx'

export const GroupPage = () => {
  const say = useText(text)
  const may = useMay()
  const { groupId } = useParams<{ groupId: string }>()
  const group = useRead('getGroup', { groupId })
  const mayChange = may('CAN_CHANGE_GROUPS')
  const voicemails = useRead('listGroupVoicemails', { groupId }, { when: group.isSuccess }).data?.items ?? []
  return (
    <Page
      title={group.data?.alias ?? say.group}
      back={{ to: '/groups', label: say.back }}
      width="narrow"
      actions={mayChange && group.data && <DeleteGroup group={group.data} />}
    >
      {group.isError && <ErrorNotice error={group.error} />}
      {group.isPending && <WaitingRows />}
      {group.data && (
        <>
          {mayChange ? <GroupSettingsSection key={JSON.stringify(group.data)} group={group.data} /> : <GroupSummary group={group.data} />}
          <GroupNumbers groupId={groupId} />
          {mayChange && <GroupDevices groupId={groupId} members={group.data.members} />}
          <RoutingSection target={groupId} mayChange={mayChange} />
          {voicemails.map(({ id }) => (
            <VoicemailSection key={id} voicemailId={id} mayChange={mayChange} ofGroup />
          ))}
        </>
      )}
    </Page>
  )
}

export const GroupSettingsSection = ({ group }: { group: GroupSettings }) => {
  const say = useText(text)
  const { save } = useText(partsText)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { id: groupId, alias, strategy, ringSeconds, members, faxline } = group
  const change = useWrite('changeGroup', {
    refreshes: ['getGroup', 'listGroups', 'listGroupDevices', 'listGroupUsers', 'listNumbers', 'listInternalContacts'],
    onDone: () => toast.done(saved),
  })
  const users = useRead('listUsers')
  const form = useForm<GroupValues>({ alias, strategy, ringSeconds, members, faxline }, change.error)
  return (
    <Section title={say.settings}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate([{ groupId }, { ...form.values, ringSeconds: Number(form.values.ringSeconds) }])
        }}
      >
        <Stack maw={520}>
          <GroupFields form={form} users={users.data?.items ?? []} error={change.error} />
          <ErrorNotice error={change.error} />
          <Row>
            <Button type="submit" loading={change.isPending} disabled={!form.changed}>
              {save}
            </Button>
          </Row>
        </Stack>
      </form>
    </Section>
  )
}

/** Devices of the members that ring with the group. */
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

/** For users with read access. */
export const GroupSummary = ({ group: { id: groupId, strategy, ringSeconds } }: { group: GroupSettings }) => {
  const say = useText(text)
  const members = useRead('listGroupUsers', { groupId }).data?.items ?? []
  return (
    <Section>
      <Facts
        facts={[
          [say.members, members.map(fullName).join(', ') || say.none],
          [say.strategy, say.strategies[strategy]],
          [say.ringSeconds, ringSeconds],
        ]}
      />
    </Section>
  )
}

export const GroupNumbers = ({ groupId }: { groupId: string }) => {
  const say = useText(text)
  const numbers = useRead('listGroupNumbers', { groupId }).data?.items
  return (
    <Section title={say.numbersTitle}>
      {numbers?.length === 0 ? (
        <Text size="sm">{say.noNumbers}</Text>
      ) : (
        <Stack gap="xs">
          {numbers?.map(({ id, number }) => (
            <PhoneNumber key={id} number={number} />
          ))}
        </Stack>
      )}
    </Section>
  )
}

export const DeleteGroup = ({ group: { id: groupId, alias } }: { group: GroupSettings }) => {
  const say = useText(text)
  const { deleted } = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const [, go] = useLocation()
  const remove = useWrite('deleteGroup', {
    refreshes: ['listGroups', 'listInternalContacts'],
    onDone: () => {
      toast.done(deleted)
      go('/groups')
    },
  })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.deleteTitle(alias), body: say.deleteBody, confirm: say.delete }))
      remove.mutate([{ groupId }], { onError: (error) => toast.failed(error) })
  }
  return (
    <Button variant="default" leftSection={<Icon name="trash" size={16} />} loading={remove.isPending} onClick={() => void ask()}>
      {say.delete}
    </Button>
  )
}
