import { Button, Stack, Text } from '@mantine/core'
import { useLocation } from 'wouter'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { fullName } from '#lazy-parts/people.ts'
import { text as accountText } from '../parts/text.ts'
import type { GroupSettings } from './group-fields.tsx'
import { text } from './text.ts'

/** For users who may look but not change. */
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
