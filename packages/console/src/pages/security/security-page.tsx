import { Button, Modal, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#api/client.ts'
import type { Role } from '#api/session.ts'
import { useMay } from '#api/use-may.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { text as partsText } from '#parts/text.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { factorsOf, type Factors, type NewTotp, type SecondFactor } from '#parts-of-few/factors.ts'
import { RecoveryCodes } from '#parts-of-few/recovery-codes.tsx'
import { TotpSetUp } from '#parts-of-few/totp-set-up.tsx'
import { useText } from '#words/use-text.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { text } from './text.ts'
import { useRecentLogin } from './use-recent-login.tsx'

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
  const attemptAnd = (deed: () => Promise<void>): void => void attempt(deed).catch((error: unknown) => toast.failed(error))
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
      <Modal opened={codes !== undefined} onClose={() => undefined} withCloseButton={false} closeOnEscape={false} title={say.codes}>
        {codes && (
          <RecoveryCodes
            codes={codes}
            onKept={() => {
              setCodes(undefined)
              reload()
            }}
          />
        )}
      </Modal>
    </>
  )
}

interface DeedProps {
  factors: Factors
  attempt: (deed: () => Promise<void>) => void
  onCodes: (codes: string[]) => void
}

const AppSection = ({ factors, set, attempt, onCodes, reload }: DeedProps & { set: boolean; reload: () => void }) => {
  const say = useText(text)
  const { close } = useText(partsText)
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
      <Modal opened={begun !== undefined} onClose={() => setBegun(undefined)} title={say.app} closeButtonProps={{ 'aria-label': close }}>
        {begun && <TotpSetUp factors={factors} begun={begun} onDone={finish} />}
      </Modal>
    </Section>
  )
}

const CodesSection = ({ factors, left, attempt, onCodes }: DeedProps & { left: number }) => {
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
