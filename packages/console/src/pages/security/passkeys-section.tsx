import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { makePasskey, passkeyAddress, passkeysPossible } from '#api/passkeys.ts'
import type { Role } from '#api/session.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Time } from '#parts/value/values.tsx'
import type { Factors, Passkey } from '#lazy-parts/factors.ts'
import { text as factorText } from '#lazy-parts/second-factor-text.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { PasskeyNameDialog } from './passkey-name-dialog.tsx'

export interface PasskeysSectionProps {
  role: Role
  factors: Factors
  attempt: (action: () => Promise<void>) => void
  /** None where there was a second factor before. */
  onCodes: (codes: string[]) => void
  reload: () => void
}

export const PasskeysSection = ({ role, factors, attempt, onCodes, reload }: PasskeysSectionProps) => {
  const say = useText(text)
  const { noPasskey } = useText(factorText)
  const toast = useToast()
  const confirm = useConfirm()
  const columns = useColumns()
  const [adding, setAdding] = useState(false)
  const query = useQuery({ queryKey: ['passkeys', role], queryFn: factors.listPasskeys })
  const add = (name: string): void => {
    setAdding(false)
    attempt(async () => {
      const { challenge, passkey } = await factors.beginPasskey()
      const made = await makePasskey(passkey, noPasskey)
      const { recoveryCodes } = await factors.addPasskey({ name, challenge, passkey: made })
      toast.done(say.passkeyAdded)
      void query.refetch()
      onCodes(recoveryCodes)
    })
  }
  const remove = async ({ id, name }: Passkey): Promise<void> => {
    if (!(await confirm({ title: say.passkeyRemoveTitle(name), body: say.passkeyRemoveBody, confirm: say.remove }))) return
    attempt(async () => {
      await factors.removePasskey(id)
      toast.done(say.passkeyRemoved)
      void query.refetch()
      reload()
    })
  }
  const possible = passkeysPossible()
  return (
    <Section
      title={say.passkeys}
      description={possible ? say.passkeysHint : <NotHere />}
      actions={possible && <AddButton onClick={() => setAdding(true)}>{say.passkeyAdd}</AddButton>}
      flush
    >
      <List
        name="passkeys"
        query={query}
        label={say.passkeys}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={(passkey) => (
          <RowMenu
            label={say.actionsFor(passkey.name)}
            actions={[{ label: say.remove, icon: 'trash', danger: true, onClick: () => void remove(passkey) }]}
          />
        )}
        empty={<EmptyState icon="key" title={say.passkeysNone} />}
      />
      {adding && <PasskeyNameDialog onClose={() => setAdding(false)} onName={add} />}
    </Section>
  )
}

const useColumns = (): Column<Passkey>[] => {
  const say = useText(text)
  return [
    { key: 'name', header: say.passkeyName, cell: ({ name }) => name },
    { key: 'host', header: say.passkeyHost, cell: ({ host }) => host },
    { key: 'lastUsedAt', header: say.passkeyUsed, cell: ({ lastUsedAt }) => lastUsedAt !== undefined && <Time at={lastUsedAt} relative /> },
  ]
}

/** Why this page cannot make one, and which could. */
const NotHere = () => {
  const say = useText(text)
  const address = passkeyAddress()
  return (
    <Text inherit>
      {say.passkeysNotHere}{' '}
      {address !== undefined && (
        <Anchor href={address} underline="always">
          {say.passkeysThere(new URL(address).origin)}
        </Anchor>
      )}
    </Text>
  )
}
