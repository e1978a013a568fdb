import { Text, MultiSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text as leashText } from './leash/text.ts'
import { useLeashes, type UsedLeashes } from './leash/use-leashes.tsx'
import { text } from './text.ts'
import { grantableScopes, type Scope } from '@offhook/contract/scopes.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'

type Token = OutputOf<'listPersonalTokens'>['items'][number]

/** Tokens for the person's own scripts. */
export const PersonalTokens = () => {
  const say = useText(text)
  const tokens = useRead('listPersonalTokens')
  const [adding, setAdding] = useState(false)
  const [made, setMade] = useState<CreatedToken>()
  const leashes = useLeashes()
  const columns = useColumns(leashes)
  const actionsOf = useRowActions(leashes)
  const shown = made && [
    { label: say.tokenId, value: made.tokenId },
    { label: say.token, value: made.token },
  ]
  const add = (
    <AddButton size="xs" onClick={() => setAdding(true)}>
      {say.newToken}
    </AddButton>
  )
  return (
    <Section title={say.tokens} description={say.tokensHint} actions={add} flush>
      <List
        name="tokens"
        query={tokens}
        label={say.tokens}
        columns={columns}
        rowKey={({ tokenId }) => tokenId}
        rowActions={actionsOf}
        empty={
          <EmptyState icon="key" title={say.tokensEmpty}>
            {say.tokensEmptyHint}
          </EmptyState>
        }
      />
      {adding && <TokenForm onClose={() => setAdding(false)} onMade={setMade} />}
      {leashes.modal}
      <SecretModal title={say.tokenMade} secrets={shown} onClose={() => setMade(undefined)} />
    </Section>
  )
}

const useColumns = ({ cell }: UsedLeashes): Column<Token>[] => {
  const say = useText(text)
  const { leash } = useText(leashText)
  const { name } = useText(accountText)
  return [
    {
      key: 'name',
      header: name,
      value: (token) => token.name,
      cell: (token) =>
        token.lacksSecondFactor ? (
          <>
            {token.name}
            <Text size="sm" c="var(--mantine-color-error)">
              {say.lacksSecondFactor}
            </Text>
          </>
        ) : (
          token.name
        ),
    },
    {
      key: 'scopes',
      header: say.scopes,
      cell: ({ scopes }) => (scopes.includes('all') ? say.everything : <Text inherit>{scopes.join(', ')}</Text>),
    },
    { key: 'leash', header: leash, cell: ({ tokenId }) => cell(tokenId) },
    {
      key: 'createdAt',
      header: say.createdAt,
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Time at={createdAt} relative />,
    },
  ]
}

const useRowActions = ({ action }: UsedLeashes) => {
  const say = useText(text)
  const { actionsFor } = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('deletePersonalToken', { refreshes: ['listPersonalTokens'], onDone: () => toast.done(say.revoked) })
  const ask = async ({ tokenId, name }: Token): Promise<void> => {
    if (await confirm({ title: say.revokeTitle(name), body: say.revokeBody, confirm: say.revoke }))
      remove.mutate([{ tokenId }], { onError: (error) => toast.failed(error) })
  }
  return (token: Token) => (
    <RowMenu
      label={actionsFor(token.name)}
      actions={[
        action({ leashId: token.tokenId, name: token.name }),
        { label: say.revoke, icon: 'trash', danger: true, onClick: () => void ask(token) },
      ]}
    />
  )
}

type CreatedToken = OutputOf<'createPersonalToken'>

const TokenForm = ({ onClose, onMade }: { onClose: () => void; onMade: (made: CreatedToken) => void }) => {
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
