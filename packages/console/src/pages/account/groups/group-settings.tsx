import { Button, Group as Row, Stack } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Section } from '#parts/page/section.tsx'
import { text as partsText } from '#parts/text.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { GroupFields, type GroupSettings, type GroupValues } from './group-fields.tsx'
import { text } from './text.ts'

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
