import { TagsInput, TextInput } from '@mantine/core'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'

export type OauthClient = OutputOf<'listOauthClients'>['items'][number]

interface OauthClientFormProps {
  /** Undefined: a new one. */
  client: OauthClient | undefined
  onClose: () => void
  onMade: (made: { clientId: string; clientSecret: string }) => void
}

const refreshes = ['listOauthClients'] as const

export const OauthClientForm = ({ client, onClose, onMade }: OauthClientFormProps) => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const create = useWrite('createOauthClient', {
    refreshes,
    onDone: (made) => {
      onClose()
      onMade(made)
    },
  })
  const change = useWrite('updateOauthClient', {
    refreshes,
    onDone: () => {
      toast.done(account.saved)
      onClose()
    },
  })
  const write = client ? change : create
  const form = useForm({ name: client?.name ?? '', redirectUris: client?.redirectUris ?? [] }, write.error)
  const submit = (): void => {
    if (client) change.mutate([{ clientId: client.clientId }, form.values])
    else create.mutate([{}, form.values])
  }
  return (
    <FormModal
      opened
      title={client ? say.editClient : say.newClient}
      {...(!client && { submit: say.create })}
      onClose={onClose}
      onSubmit={submit}
      pending={write.isPending}
      error={write.error}
    >
      <TextInput label={account.name} required maxLength={100} data-autofocus {...form.text('name')} />
      <TagsInput
        label={say.redirectUris}
        description={say.redirectHint}
        acceptValueOnBlur
        maxTags={10}
        value={form.values.redirectUris}
        onChange={(typed) => form.set('redirectUris', typed)}
        error={fieldProblem(write.error, 'redirectUris')}
      />
    </FormModal>
  )
}
