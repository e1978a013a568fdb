import { Button, Group as Row, Stack, Text } from '@mantine/core'
import { useLocation, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { text as partsText } from '#parts/text.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { fullName } from '#parts-of-few/people.ts'
import { text as accountText } from '../parts/text.ts'
import { VoicemailSection } from '../voicemail/voicemail-section.tsx'
import { GroupDevices } from './group-devices.tsx'
import { GroupFields, type GroupSettings, type GroupValues } from './group-fields.tsx'
import { text } from './text.ts'

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
          {mayChange ? <Settings key={JSON.stringify(group.data)} group={group.data} /> : <Summary group={group.data} />}
          <GroupNumbers groupId={groupId} />
          {mayChange && <GroupDevices groupId={groupId} members={group.data.members} />}
          {voicemails.map(({ id }) => (
            <VoicemailSection key={id} voicemailId={id} mayChange={mayChange} ofGroup />
          ))}
        </>
      )}
    </Page>
  )
}

const Settings = ({ group }: { group: GroupSettings }) => {
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

/** For those who may look but not change. */
const Summary = ({ group: { id: groupId, strategy, ringSeconds } }: { group: GroupSettings }) => {
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

const GroupNumbers = ({ groupId }: { groupId: string }) => {
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

const DeleteGroup = ({ group: { id: groupId, alias } }: { group: GroupSettings }) => {
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
