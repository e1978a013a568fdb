import { grantableScopes, type Scope } from '@offhook/contract/scopes.ts'
import { MultiSelect, TextInput } from '@mantine/core'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'

export type CreatedToken = OutputOf<'createPersonalToken'>

export const TokenForm = ({ onClose, onMade }: { onClose: () => void; onMade: (made: CreatedToken) => void }) => {
  const say = useText(text)
  const { name } = useText(accountText)
  const create = useWrite('createPersonalToken', {
    refreshes: ['listPersonalTokens'],
    onDone: (reply) => {
      onClose()
      onMade(reply)
    },
  })
  const form = useForm<{ name: string; scopes: string[] }>({ name: '', scopes: [] }, create.error)
  const { scopes } = form.values
  const submit = (): void =>
    create.mutate([{}, { name: form.values.name, ...(scopes.length > 0 && { scopes: scopes as Exclude<Scope, 'internal'>[] }) }])
  return (
    <FormModal
      opened
      title={say.newToken}
      submit={say.create}
      onClose={onClose}
      onSubmit={submit}
      pending={create.isPending}
      error={create.error}
    >
      <TextInput label={name} required maxLength={100} data-autofocus {...form.text('name')} />
      <MultiSelect
        label={say.scopes}
        description={say.scopesHint}
        data={grantableScopes.filter((scope) => scope !== 'all')}
        searchable
        clearable
        value={scopes}
        onChange={(chosen) => form.set('scopes', chosen)}
      />
    </FormModal>
  )
}
