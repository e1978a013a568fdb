import { Alert, Button, Group, MultiSelect, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '#api/client.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { fullName, selectable } from '#lazy-parts/people.ts'
import { useRecentLogin } from '#lazy-parts/recent-login.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { ProviderForm, type Attempt, type Provider } from './provider-form.tsx'
import { text } from './text.ts'

const reads = ['listIdentityProviders']

/** Login at the company's identity provider, with its domains and SCIM. */
export const SignOnPage = () => {
  const say = useText(text)
  const providers = useRead('listIdentityProviders')
  const [edited, setEdited] = useState<Provider | 'new'>()
  const { attempt, dialog } = useRecentLogin('user')
  return (
    <Page
      title={say.title}
      description={say.lead}
      width="narrow"
      actions={<AddButton onClick={() => setEdited('new')}>{say.add}</AddButton>}
    >
      <Loaded query={providers}>
        {({ items }) =>
          items.length === 0 ? (
            <Section flush>
              <EmptyState icon="shield" title={say.empty}>
                {say.emptyHint}
              </EmptyState>
            </Section>
          ) : (
            items.map((provider) => <ProviderSections key={provider.id} provider={provider} attempt={attempt} onEdit={setEdited} />)
          )
        }
      </Loaded>
      {edited !== undefined && (
        <ProviderForm provider={edited === 'new' ? undefined : edited} attempt={attempt} onClose={() => setEdited(undefined)} />
      )}
      {dialog}
    </Page>
  )
}

interface ProviderProps {
  provider: Provider
  attempt: Attempt
}

const ProviderSections = ({ provider, attempt, onEdit }: ProviderProps & { onEdit: (provider: Provider) => void }) => {
  const say = useText(text)
  const account = useText(accountText)
  const act = useAct(attempt)
  const confirm = useConfirm()
  const { id: providerId, name, kind, loginUrl, callbackUrl, metadataUrl } = provider
  const remove = async (): Promise<void> => {
    const question = { title: say.removeTitle(name), body: say.removeBody, confirm: account.remove }
    if (await confirm(question)) act(() => api.deleteIdentityProvider({ providerId }), account.deleted)
  }
  const menu = (
    <RowMenu
      label={account.actionsFor(name)}
      actions={[
        { label: account.edit, icon: 'edit', onClick: () => onEdit(provider) },
        { label: account.remove, icon: 'trash', danger: true, onClick: () => void remove() },
      ]}
    />
  )
  return (
    <>
      <Section title={name} description={say.kinds[kind]} actions={menu}>
        <Stack>
          <Text size="sm">{say.enterThere}</Text>
          <CopyField label={kind === 'OIDC' ? say.redirectUri : say.consumer} value={callbackUrl} />
          {metadataUrl !== undefined && <CopyField label={say.metadata} value={metadataUrl} />}
          <CopyField label={say.loginLink} value={loginUrl} />
        </Stack>
      </Section>
      <DomainSection provider={provider} />
      <EnforcementSection key={JSON.stringify([provider.enforced, provider.breakGlass])} provider={provider} attempt={attempt} />
      <ScimSection provider={provider} attempt={attempt} />
    </>
  )
}

/** Runs a change that needs a recent login, then reads the providers again. */
const useAct = (attempt: Attempt): ((action: () => Promise<unknown>, done: string) => void) => {
  const toast = useToast()
  const queries = useQueryClient()
  return (action, done) => {
    const change = async (): Promise<void> => {
      await action()
      await queries.invalidateQueries({ queryKey: reads })
      toast.done(done)
    }
    attempt(change).catch((error: unknown) => toast.failed(error))
  }
}

const DomainSection = ({ provider: { id: providerId, name, domains } }: Pick<ProviderProps, 'provider'>) => {
  const say = useText(text)
  const toast = useToast()
  const verify = useWrite('verifyProviderDomain', { refreshes: ['listIdentityProviders'], onDone: () => toast.done(say.verified) })
  return (
    <Section title={say.domains(name)} description={say.domainsHint}>
      <Stack gap="lg">
        {domains.length === 0 && <Text c="dimmed">{say.noDomains}</Text>}
        {domains.map(({ domain, verified, record }) => (
          <Stack key={domain} gap="xs">
            <Group justify="space-between">
              <Text fw={550}>{domain}</Text>
              <StatusBadge tone={verified ? 'good' : 'warning'}>{verified ? say.isVerified : say.isUnverified}</StatusBadge>
            </Group>
            {!verified && (
              <>
                <CopyField label={say.recordName(record.type)} value={record.name} />
                <CopyField label={say.recordValue} value={record.value} />
                <Group>
                  <Button
                    variant="default"
                    aria-label={say.verifyOf(domain)}
                    loading={verify.isPending}
                    onClick={() => verify.mutate([{ providerId, domain }], { onError: (error) => toast.failed(error) })}
                  >
                    {say.verify}
                  </Button>
                </Group>
              </>
            )}
          </Stack>
        ))}
      </Stack>
    </Section>
  )
}

const EnforcementSection = ({ provider: { id: providerId, name, enforced, breakGlass }, attempt }: ProviderProps) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const act = useAct(attempt)
  const confirm = useConfirm()
  const [chosen, setChosen] = useState([...breakGlass])
  const administrators = (useRead('listUsers').data?.items ?? []).filter(({ role }) => role === 'ADMIN')
  const set = async (wanted: boolean): Promise<void> => {
    if (wanted && !enforced && !(await confirm({ title: say.enforceTitle, body: say.enforceBody, confirm: say.enforceDo }))) return
    act(() => api.enforceSingleSignOn({ providerId }, { enforced: wanted, breakGlass: chosen }), saved)
  }
  return (
    <Section title={say.enforcement(name)} description={say.enforcementHint}>
      <Stack>
        <MultiSelect
          searchable
          label={say.breakGlass}
          description={say.breakGlassHint}
          data={selectable(administrators, chosen).map((user) => ({ value: user.id, label: fullName(user) }))}
          value={chosen}
          onChange={setChosen}
        />
        <Switch
          label={say.enforce}
          checked={enforced}
          disabled={chosen.length === 0 && !enforced}
          onChange={({ currentTarget }) => void set(currentTarget.checked)}
        />
        {enforced && chosen.join() !== breakGlass.join() && (
          <Group>
            <Button variant="default" disabled={chosen.length === 0} onClick={() => void set(true)}>
              {say.saveBreakGlass}
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}

const ScimSection = ({ provider: { id: providerId, name, hasScimToken, scimUrl }, attempt }: ProviderProps) => {
  const say = useText(text)
  const { deleted } = useText(accountText)
  const act = useAct(attempt)
  const confirm = useConfirm()
  const [made, setMade] = useState<{ token: string; url: string }>()
  const create = async (): Promise<void> => {
    if (hasScimToken && !(await confirm({ title: say.renewTitle, body: say.renewBody, confirm: say.renew }))) return
    act(async () => setMade(await api.createScimToken({ providerId })), say.tokenMade)
  }
  const revoke = async (): Promise<void> => {
    if (await confirm({ title: say.revokeTitle, body: say.revokeBody, confirm: say.revoke }))
      act(() => api.deleteScimToken({ providerId }), deleted)
  }
  const secrets = made && [
    { label: say.scimAddress, value: made.url },
    { label: say.scimToken, value: made.token },
  ]
  return (
    <Section title={say.scim(name)} description={say.scimHint}>
      <Stack>
        {hasScimToken ? <CopyField label={say.scimAddress} value={scimUrl} /> : <Alert color="gray">{say.noScim}</Alert>}
        <Group>
          <Button variant="default" onClick={() => void create()}>
            {hasScimToken ? say.renew : say.createToken}
          </Button>
          {hasScimToken && (
            <Button variant="default" color="red" onClick={() => void revoke()}>
              {say.revoke}
            </Button>
          )}
        </Group>
      </Stack>
      <SecretModal title={say.tokenMade} secrets={secrets} onClose={() => setMade(undefined)} />
    </Section>
  )
}
