import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '#api/use-service.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { LogTable } from './log-table.tsx'
import { text } from './text.ts'
import { UndeliveredTable } from './undelivered-table.tsx'

/** What an account's own software was told about calls. */
export const NoticesPage = () => {
  const say = useText(text)
  const undelivered = useRead('listUndeliveredNotices', { limit: 200 }, { every: 5_000 })
  const log = useRead('listWebhookLog', { limit: 100 }, { every: 5_000 })
  const toSettings = (
    <Button component={Link} href="/call-settings" variant="default" leftSection={<Icon name="settings" size={16} />}>
      {say.toSettings}
    </Button>
  )
  return (
    <Page title={say.title} description={say.about} actions={toSettings}>
      <Section title={say.undelivered} description={say.undeliveredHint} flush>
        <Loaded query={undelivered}>{({ items }) => <UndeliveredTable notices={items} />}</Loaded>
      </Section>
      <Section title={say.log} description={say.logHint} flush>
        <Loaded query={log}>{({ items }) => <LogTable entries={items} />}</Loaded>
      </Section>
    </Page>
  )
}
