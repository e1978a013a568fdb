import { Alert, Button, Group, Select, Text } from '@mantine/core'
import { useState } from 'react'
import { useMe } from '#api/use-me.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Section } from '#parts/page/section.tsx'
import { fullName, type User } from '#lazy-parts/people.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

const refreshes = ['getUser', 'listUsers', 'listNumbers'] as const

/** Deactivating, and coming back. */
export const Leaving = ({ user }: { user: User }) => {
  const say = useText(text)
  const toast = useToast()
  const me = useMe()?.id
  const [asking, setAsking] = useState(false)
  const activate = useWrite('changeUser', { refreshes, onDone: () => toast.done(say.activated) })
  return (
    <Section title={say.leave} description={user.id === me ? say.itsYou : say.leaveHint}>
      {!user.active && <Alert mb="md">{say.inactiveNotice}</Alert>}
      <Group>
        {user.active ? (
          <Button color="red.8" variant="outline" disabled={user.id === me} onClick={() => setAsking(true)}>
            {say.deactivate}
          </Button>
        ) : (
          <Button
            loading={activate.isPending}
            onClick={() => activate.mutate([{ userId: user.id }, { active: true }], { onError: (error) => toast.failed(error) })}
          >
            {say.activate}
          </Button>
        )}
      </Group>
      {asking && <LeavingForm user={user} onClose={() => setAsking(false)} />}
    </Section>
  )
}

const kept = ''

const LeavingForm = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const others = (useRead('listUsers').data?.items ?? []).filter(({ id, active }) => active && id !== user.id)
  const leave = useWrite('deactivateUser', {
    refreshes,
    onDone: () => {
      toast.done(say.deactivated)
      onClose()
    },
  })
  const form = useForm<{ numbersTo: string; historyTo: string }>({ numbersTo: kept, historyTo: kept }, leave.error)
  const { numbersTo, historyTo } = form.values
  const submit = (): void =>
    leave.mutate([{ userId: user.id, ...(numbersTo !== kept && { numbersTo }), ...(historyTo !== kept && { historyTo }) }])
  const heirs = (words: (name: string) => string) => others.map((other) => ({ value: other.id, label: words(fullName(other)) }))
  return (
    <FormModal
      opened
      title={say.deactivateTitle(fullName(user))}
      submit={say.deactivate}
      onClose={onClose}
      onSubmit={submit}
      pending={leave.isPending}
      error={leave.error}
    >
      <Text size="sm">{say.deactivateBody}</Text>
      <Select
        label={say.numbersTo}
        data={[{ value: kept, label: say.numbersKept }, ...heirs(say.numbersGo)]}
        allowDeselect={false}
        searchable={others.length > 8}
        {...form.value('numbersTo')}
      />
      <Select
        label={say.historyTo}
        data={[{ value: kept, label: say.historyKept }, ...heirs(say.historyGoes), { value: 'DELETED', label: say.historyDeleted }]}
        allowDeselect={false}
        searchable={others.length > 8}
        {...form.value('historyTo')}
      />
    </FormModal>
  )
}
