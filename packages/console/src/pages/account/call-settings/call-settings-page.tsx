import { Button, Code, CopyButton } from '@mantine/core'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { SigningSecrets } from '#parts/secrets/signing-secrets.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './call-settings.module.css'
import { CallSettingsForm } from './call-settings-form.tsx'
import { text } from './text.ts'

/** How the account's own software takes part in calls. */
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

/** Only administrators come here: nothing but the feature can be missing. */
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
