import { Switch, Button, Stack, Text, TextInput, Anchor } from '@mantine/core'
import { Dialog } from '#parts/modal/dialog.tsx'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#api/client.ts'
import type { Role } from '#api/session.ts'
import { useMay } from '#api/use-may.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { factorsOf, type Factors, type SecondFactor, type NewTotp, type Passkey } from '#lazy-parts/totp-set-up.tsx'
import { TotpSetUp } from '#lazy-parts/totp-set-up.tsx'
import { RecoveryCodes } from '#lazy-parts/recovery-codes.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { passkeysPossible, makePasskey, passkeyAddress } from '#api/passkeys.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useRecentLogin } from '#lazy-parts/recent-login.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Time } from '#parts/value/values.tsx'
import { text as factorText } from '#lazy-parts/second-factor-text.ts'

export const UserSecurityPage = () => <SecurityPage as="user" />

export const OperatorSecurityPage = () => <SecurityPage as="operator" />

const SecurityPage = ({ as: role }: { as: Role }) => {
  const say = useText(text)
  const factors = factorsOf(role, api)
  const query = useQuery({ queryKey: ['second factor', role], queryFn: factors.show })
  return (
    <Page title={say.title} description={say.lead} width="narrow">
      <Loaded query={query}>
        {(shown) => <Settings role={role} factors={factors} shown={shown} reload={() => void query.refetch()} />}
      </Loaded>
    </Page>
  )
}

interface SettingsProps {
  role: Role
  factors: Factors
  shown: SecondFactor
  reload: () => void
}

const Settings = ({ role, factors, shown, reload }: SettingsProps) => {
  const say = useText(text)
  const may = useMay()
  const toast = useToast()
  const [codes, setCodes] = useState<string[]>()
  const { attempt, dialog } = useRecentLogin(role)
  const attemptAnd = (action: () => Promise<void>): void => void attempt(action).catch((error: unknown) => toast.failed(error))
  const showCodes = (fresh: string[]): void => (fresh.length > 0 ? setCodes(fresh) : reload())
  const demand = (demanded: boolean): void =>
    attemptAnd(async () => {
      await factors.demand(demanded)
      toast.done(say.saved)
      reload()
    })
  const own = shown.methods.length > 0
  return (
    <>
      <AppSection factors={factors} set={shown.methods.includes('TOTP')} attempt={attemptAnd} onCodes={showCodes} reload={reload} />
      <PasskeysSection role={role} factors={factors} attempt={attemptAnd} onCodes={showCodes} reload={reload} />
      {own && <CodesSection factors={factors} left={shown.recoveryCodes} attempt={attemptAnd} onCodes={showCodes} />}
      {(role === 'operator' || may('CAN_MANAGE_SECOND_FACTORS')) && (
        <Section title={say.rule}>
          <Switch
            label={role === 'operator' ? say.demandOperators : say.demandAccount}
            description={own || shown.demanded ? say.demandHint : say.demandFirst}
            disabled={!own && !shown.demanded}
            checked={shown.demanded}
            onChange={(event) => demand(event.currentTarget.checked)}
          />
        </Section>
      )}
      {dialog}
      <Dialog opened={codes !== undefined} onClose={() => undefined} withCloseButton={false} closeOnEscape={false} title={say.codes}>
        {codes && (
          <RecoveryCodes
            codes={codes}
            onKept={() => {
              setCodes(undefined)
              reload()
            }}
          />
        )}
      </Dialog>
    </>
  )
}

export const CodesSection = ({ factors, left, attempt, onCodes }: FactorProps & { left: number }) => {
  const say = useText(text)
  const renew = (): void => attempt(async () => onCodes((await factors.renewRecoveryCodes()).recoveryCodes))
  return (
    <Section title={say.codes} description={say.codesHint}>
      <Stack align="flex-start">
        <Text>{say.codesLeft(left)}</Text>
        <Button variant="default" onClick={renew}>
          {say.codesNew}
        </Button>
      </Stack>
    </Section>
  )
}

export interface FactorProps {
  factors: Factors
  attempt: (action: () => Promise<void>) => void
  onCodes: (codes: string[]) => void
}

export const AppSection = ({ factors, set, attempt, onCodes, reload }: FactorProps & { set: boolean; reload: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const [begun, setBegun] = useState<NewTotp>()
  const begin = (): void => attempt(async () => setBegun(await factors.beginTotp()))
  const remove = async (): Promise<void> => {
    if (!(await confirm({ title: say.removeTitle, body: say.removeBody, confirm: say.remove }))) return
    attempt(async () => {
      await factors.removeTotp()
      toast.done(say.removed)
      reload()
    })
  }
  const finish = (codes: string[]): void => {
    setBegun(undefined)
    onCodes(codes)
  }
  return (
    <Section title={say.app} description={say.appHint}>
      <Stack align="flex-start">
        <StatusBadge tone={set ? 'good' : 'quiet'}>{set ? say.on : say.off}</StatusBadge>
        {set ? (
          <Button variant="default" onClick={() => void remove()}>
            {say.remove}
          </Button>
        ) : (
          <Button onClick={begin}>{say.setUp}</Button>
        )}
      </Stack>
      <Dialog opened={begun !== undefined} onClose={() => setBegun(undefined)} title={say.app}>
        {begun && <TotpSetUp factors={factors} begun={begun} onDone={finish} />}
      </Dialog>
    </Section>
  )
}

export interface PasskeysSectionProps {
  role: Role
  factors: Factors
  attempt: (action: () => Promise<void>) => void
  /** Empty if a second factor already existed. */
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

/** Why this page cannot create a passkey, and which can. */
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

export const PasskeyNameDialog = ({ onClose, onName }: { onClose: () => void; onName: (name: string) => void }) => {
  const say = useText(text)
  const form = useForm({ name: '' })
  const { name } = form.values
  return (
    <FormModal
      opened
      title={say.passkeyAdd}
      submit={say.goOn}
      disabled={name.trim() === ''}
      onClose={onClose}
      onSubmit={() => onName(name)}
    >
      <TextInput label={say.passkeyName} description={say.passkeyNameHint} maxLength={100} data-autofocus {...form.text('name')} />
    </FormModal>
  )
}
