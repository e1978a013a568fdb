import { Button, Code, CopyButton, Group, MultiSelect, Radio, Stack, Switch } from '@mantine/core'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { SigningSecrets } from '#parts/secrets/signing-secrets.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './call-settings.module.css'
import type { ReactNode } from 'react'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { text as partsText } from '#parts/text.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm, type Form } from '#parts/form/use-form.ts'
import { CallAddresses } from '../parts/call-addresses.tsx'
import { text as accountText } from '../parts/text.ts'
import { useQueries } from '@tanstack/react-query'
import { api } from '#api/client.ts'
import { fullName, selectable } from '#lazy-parts/people.ts'

import { text } from './text.ts'

/** Call webhooks of the account's software. */
export const CallSettingsPage = () => {
  const say = useText(text)
  const booked = useMay()('CAN_USE_PUSH_API')
  const toNotices = booked && (
    <Button component={Link} href="/notices" variant="default" leftSection={<Icon name="list" size={16} />}>
      {say.toNotices}
    </Button>
  )
  return (
    <Page title={say.title} description={say.lead} actions={toNotices} width="narrow">
      {booked ? <Settings /> : <NotBooked />}
    </Page>
  )
}

/** Only administrators see this page, so only the feature can be missing. */
const NotBooked = () => {
  const say = useText(text)
  return (
    <Section>
      <EmptyState icon="lock" title={say.notBooked}>
        {say.notBookedBody}
      </EmptyState>
    </Section>
  )
}

const Settings = () => {
  const say = useText(text)
  const settings = useRead('getSvcio')
  return (
    <>
      <Section title={say.addresses} description={say.addressesHint}>
        <Loaded query={settings}>{(now) => <CallSettingsForm key={JSON.stringify(now)} settings={now} />}</Loaded>
      </Section>
      <Secrets />
      <PublicKey />
    </>
  )
}

const refreshes = ['listSvcioSecrets'] as const

const Secrets = () => {
  const say = useText(text)
  const secrets = useRead('listSvcioSecrets')
  const create = useWrite('createSvcioSecret', { refreshes })
  const remove = useWrite('deleteSvcioSecret', { refreshes })
  return (
    <SigningSecrets
      words={say.secrets}
      secrets={secrets}
      onCreate={() => create.mutateAsync([{}])}
      creating={create.isPending}
      onDelete={(secretId) => remove.mutateAsync([{ secretId }])}
    />
  )
}

const PublicKey = () => {
  const say = useText(text)
  const key = useRead('getSvcioPublicKey')
  const copyKey = key.data && (
    <CopyButton value={key.data.publicKey}>
      {({ copied, copy }) => (
        <Button variant="default" leftSection={<Icon name={copied ? 'check' : 'copy'} size={16} />} onClick={copy}>
          {copied ? say.copied : say.copyKey}
        </Button>
      )}
    </CopyButton>
  )
  return (
    <Section title={say.publicKey} description={say.publicKeyHint} actions={copyKey}>
      <Loaded query={key}>
        {({ publicKey }) => (
          <Code block className={classes.key} tabIndex={0} aria-label={say.publicKey}>
            {publicKey}
          </Code>
        )}
      </Loaded>
    </Section>
  )
}

export type CallSettings = OutputOf<'getSvcio'>

export const CallSettingsForm = ({ settings }: { settings: CallSettings }) => {
  const { saved } = useText(accountText)
  const { save } = useText(partsText)
  const say = useText(text)
  const toast = useToast()
  const change = useWrite('setSvcio', { refreshes: ['getSvcio'], onDone: () => toast.done(saved) })
  const form = useForm(settings, change.error)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate([{}, form.values])
      }}
    >
      <Stack>
        <CallAddresses incoming={form.text('incomingUrl')} outgoing={form.text('outgoingUrl')} whenEmpty={say.whenEmpty} />
        <WhichCalls form={form} problem={fieldProblem(change.error, 'whitelist')} />
        <Radio.Group
          label={say.format}
          description={say.formatHint}
          value={form.values.format}
          onChange={(chosen) => form.set('format', chosen === 'json' ? 'json' : 'form')}
        >
          <Group mt={6}>
            <Radio value="form" label={say.formats.form} />
            <Radio value="json" label={say.formats.json} />
          </Group>
        </Radio.Group>
        <Switch label={say.log} description={say.logHint} {...form.tick('log')} />
        <ErrorNotice error={change.error} />
        <Group>
          <Button type="submit" loading={change.isPending} disabled={!form.changed}>
            {save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const WhichCalls = ({ form, problem }: { form: Form<CallSettings>; problem: ReactNode }) => {
  const say = useText(text)
  const { whitelist } = form.values
  return (
    <>
      <Radio.Group
        label={say.which}
        value={whitelist === null ? 'all' : 'some'}
        onChange={(chosen) => form.set('whitelist', chosen === 'all' ? null : [])}
      >
        <Group mt={6}>
          <Radio value="all" label={say.whichOnes.all} />
          <Radio value="some" label={say.whichOnes.some} />
        </Group>
      </Radio.Group>
      {whitelist !== null && <Chosen ids={whitelist} onChange={(ids) => form.set('whitelist', ids)} problem={problem} />}
    </>
  )
}

interface ChosenProps {
  ids: readonly string[]
  onChange: (ids: string[]) => void
  problem: ReactNode
}

const Chosen = ({ ids, onChange, problem }: ChosenProps) => {
  const say = useText(text)
  const tellable = useDescribable()
  const known = [...(tellable?.lines ?? []), ...(tellable?.groups ?? [])].map(({ value }) => value)
  const unknown = ids.filter((id) => !known.includes(id)).map((id) => ({ value: id, label: id }))
  return (
    <MultiSelect
      label={say.chosen}
      description={say.chosenHint}
      data={[
        { group: say.lines, items: tellable?.lines ?? [] },
        { group: say.groups, items: tellable?.groups ?? [] },
        ...(tellable && unknown.length > 0 ? [{ group: say.gone, items: unknown }] : []),
      ]}
      value={tellable ? [...ids] : []}
      onChange={onChange}
      disabled={!tellable}
      searchable
      clearable
      error={problem}
    />
  )
}

interface Choice {
  value: string
  label: string
}

export interface Describable {
  lines: Choice[]
  groups: Choice[]
}

/** Everything of the account whose calls can be reported, by name. Lines are requested per user. Undefined while loading. */
export const useDescribable = (): Describable | undefined => {
  const read = useRead('listUsers').data?.items
  const users = read && selectable(read)
  const groups = useRead('listGroups').data?.items
  const lines = useQueries({
    queries: (users ?? []).map((user) => ({
      queryKey: ['listPhonelines', { userId: user.id }],
      queryFn: () => api.listPhonelines({ userId: user.id }),
    })),
  })
  if (!users || !groups || lines.some(({ isPending }) => isPending)) return undefined
  const linesOf = (place: number) => lines[place]?.data?.items ?? []
  return {
    lines: users.flatMap((user, place) => linesOf(place).map(({ id, alias }) => ({ value: id, label: lineName(alias, fullName(user)) }))),
    groups: groups.map(({ id, alias }) => ({ value: id, label: alias })),
  }
}

/** The first line of a user has the user's name. */
const lineName = (alias: string, owner: string): string => (alias === owner ? alias : `${alias} (${owner})`)
