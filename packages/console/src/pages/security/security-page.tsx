import { Switch } from '@mantine/core'
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
import { factorsOf, type Factors, type SecondFactor } from '#lazy-parts/factors.ts'
import { RecoveryCodes } from '#lazy-parts/recovery-codes.tsx'
import { useText } from '#words/use-text.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { text } from './text.ts'
import { useRecentLogin } from './use-recent-login.tsx'
import { AppSection } from './app-section.tsx'
import { CodesSection } from './codes-section.tsx'

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
