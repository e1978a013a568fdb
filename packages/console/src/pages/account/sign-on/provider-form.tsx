import {
  ActionIcon,
  Button,
  Group,
  PasswordInput,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { userRoles, type UserRole } from '@offhook/contract/roles.ts'
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { api, type ApiError } from '#api/client.ts'
import type { OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem, useForm, type Form } from '#parts/form/use-form.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text as userText } from '../users/text.ts'
import { text } from './text.ts'

export type Provider = OutputOf<'listIdentityProviders'>['items'][number]
type GroupRole = Provider['roles'][number]

/** Runs an action and, if the login is too old, asks for another one first. */
export type Attempt = (action: () => Promise<void>) => Promise<void>

interface ProviderFormProps {
  /** Undefined: a new one. */
  provider: Provider | undefined
  attempt: Attempt
  onClose: () => void
}

/** Stands for `null`: users without a group are rejected. */
const nobody = 'nobody'

const valuesOf = (provider: Provider | undefined) => ({
  kind: provider?.kind ?? ('OIDC' as const),
  name: provider?.name ?? '',
  issuer: provider?.oidc?.issuer ?? '',
  clientId: provider?.oidc?.clientId ?? '',
  clientSecret: '',
  entityId: provider?.saml?.entityId ?? '',
  loginUrl: provider?.saml?.loginUrl ?? '',
  logoutUrl: provider?.saml?.logoutUrl ?? '',
  certificates: provider?.saml?.certificates.join('\n') ?? '',
  domains: provider?.domains.map(({ domain }) => domain) ?? [],
  groupsClaim: provider?.groupsClaim ?? 'groups',
  roles: provider?.roles ?? [],
  defaultRole: provider ? (provider.defaultRole ?? nobody) : 'USER',
  createUsers: provider?.createUsers ?? true,
  secondFactorAtProvider: provider?.secondFactorAtProvider ?? false,
})
type Values = ReturnType<typeof valuesOf>

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

const inputOf = (values: Values, { oidc }: Partial<Provider>) => {
  const { kind, name, groupsClaim, roles, defaultRole, createUsers, secondFactorAtProvider, domains } = values
  const { issuer, clientId, clientSecret, entityId, loginUrl, logoutUrl, certificates } = values
  const scopes = oidc?.scopes && { scopes: oidc.scopes }
  return {
    name,
    ...(kind === 'OIDC'
      ? { oidc: { issuer, clientId, ...scopes, ...(clientSecret !== '' && { clientSecret }) } }
      : {
          saml: {
            entityId,
            loginUrl,
            ...(logoutUrl !== '' && { logoutUrl }),
            certificates: certificates.match(certificate) ?? [certificates],
          },
        }),
    domains: domains.map((domain) => domain.trim().toLowerCase()),
    groupsClaim,
    roles: roles.filter(({ group }) => group !== ''),
    defaultRole: defaultRole === nobody ? null : (defaultRole as UserRole),
    createUsers,
    secondFactorAtProvider,
  }
}

const useSave = ({ provider, attempt, onClose }: ProviderFormProps): UseMutationResult<void, ApiError, Values> => {
  const { saved } = useText(accountText)
  const toast = useToast()
  const queries = useQueryClient()
  return useMutation<void, ApiError, Values>({
    mutationFn: (values) =>
      attempt(async () => {
        const input = inputOf(values, provider ?? {})
        if (provider) await api.changeIdentityProvider({ providerId: provider.id }, input)
        else await api.createIdentityProvider({}, input)
        await queries.invalidateQueries({ queryKey: ['listIdentityProviders'] })
        toast.done(saved)
        onClose()
      }),
  })
}

export const ProviderForm = ({ provider, attempt, onClose }: ProviderFormProps) => {
  const say = useText(text)
  const account = useText(accountText)
  const { roles: roleWords } = useText(userText)
  const save = useSave({ provider, attempt, onClose })
  const form = useForm(valuesOf(provider), save.error)
  const { kind, domains, roles } = form.values
  const roleChoices = userRoles.map((role) => ({ value: role as string, label: roleWords[role].name }))
  return (
    <FormModal
      opened
      size="lg"
      title={provider ? say.editTitle(provider.name) : say.add}
      onClose={onClose}
      onSubmit={() => save.mutate(form.values)}
      pending={save.isPending}
      error={save.error}
    >
      {!provider && (
        <SegmentedControl
          aria-label={say.kind}
          data={(['OIDC', 'SAML'] as const).map((one) => ({ value: one, label: say.kinds[one] }))}
          value={kind}
          onChange={(chosen) => form.set('kind', chosen)}
        />
      )}
      <TextInput label={account.name} description={say.nameHint} required maxLength={100} data-autofocus {...form.text('name')} />
      {kind === 'OIDC' ? (
        <OidcFields form={form} error={save.error} hasSecret={provider?.oidc?.hasSecret === true} />
      ) : (
        <SamlFields form={form} error={save.error} />
      )}
      <TagsInput
        label={say.domainNames}
        description={say.domainNamesHint}
        acceptValueOnBlur
        maxTags={50}
        value={domains}
        onChange={(typed) => form.set('domains', typed)}
        error={fieldProblem(save.error, 'domains')}
      />
      <GroupRoles roles={roles} choices={roleChoices} onChange={(changed) => form.set('roles', changed)} />
      <Select
        label={say.defaultRole}
        data={[...roleChoices, { value: nobody, label: say.rejected }]}
        allowDeselect={false}
        {...form.value('defaultRole')}
      />
      <TextInput label={say.groupsClaim} description={say.groupsClaimHint} {...form.text('groupsClaim')} />
      <Switch label={say.createUsers} {...form.tick('createUsers')} />
      <Switch label={say.secondFactor} description={say.secondFactorHint} {...form.tick('secondFactorAtProvider')} />
    </FormModal>
  )
}

interface ProtocolProps {
  form: Form<Values>
  error: unknown
}

const OidcFields = ({ form, error, hasSecret }: ProtocolProps & { hasSecret: boolean }) => {
  const say = useText(text)
  return (
    <>
      <TextInput
        label={say.issuer}
        description={say.issuerHint}
        required
        {...form.text('issuer')}
        error={fieldProblem(error, 'oidc/issuer')}
      />
      <TextInput label={say.clientId} required {...form.text('clientId')} error={fieldProblem(error, 'oidc/clientId')} />
      <PasswordInput
        label={say.clientSecret}
        description={hasSecret ? say.secretStays : say.secretHint}
        autoComplete="off"
        {...form.text('clientSecret')}
        error={fieldProblem(error, 'oidc/clientSecret')}
      />
    </>
  )
}

const SamlFields = ({ form, error }: ProtocolProps) => {
  const say = useText(text)
  return (
    <>
      <TextInput label={say.entityId} required {...form.text('entityId')} error={fieldProblem(error, 'saml/entityId')} />
      <TextInput label={say.loginUrl} required {...form.text('loginUrl')} error={fieldProblem(error, 'saml/loginUrl')} />
      <TextInput label={say.logoutUrl} {...form.text('logoutUrl')} error={fieldProblem(error, 'saml/logoutUrl')} />
      <Textarea
        label={say.certificates}
        description={say.certificatesHint}
        required
        autosize
        minRows={3}
        maxRows={8}
        {...form.text('certificates')}
        error={fieldProblem(error, 'saml/certificates')}
      />
    </>
  )
}

interface GroupRolesProps {
  roles: readonly GroupRole[]
  choices: { value: string; label: string }[]
  onChange: (roles: GroupRole[]) => void
}

/** Order matters: the first group that a user is in decides. */
const GroupRoles = ({ roles, choices, onChange }: GroupRolesProps) => {
  const say = useText(text)
  const set = (place: number, change: Partial<GroupRole>): void =>
    onChange(roles.map((one, at) => (at === place ? { ...one, ...change } : one)))
  return (
    <Stack gap="xs" role="group" aria-label={say.groupRoles}>
      <Text size="sm" fw={550}>
        {say.groupRoles}
      </Text>
      <Text size="xs" c="dimmed">
        {say.groupRolesHint}
      </Text>
      {roles.map(({ group, role }, place) => (
        <Group key={place} gap="xs" wrap="nowrap">
          <TextInput
            flex={1}
            aria-label={say.group(place + 1)}
            placeholder={say.groupExample}
            value={group}
            onChange={({ currentTarget }) => set(place, { group: currentTarget.value })}
          />
          <Select
            w={170}
            aria-label={say.roleOf(place + 1)}
            data={choices}
            value={role}
            allowDeselect={false}
            onChange={(chosen) => chosen !== null && set(place, { role: chosen as UserRole })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={say.removeGroup(place + 1)}
            onClick={() => onChange(roles.toSpliced(place, 1))}
          >
            <Icon name="x" size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button size="xs" variant="default" onClick={() => onChange([...roles, { group: '', role: 'USER' }])}>
          {say.addGroup}
        </Button>
      </Group>
    </Stack>
  )
}
