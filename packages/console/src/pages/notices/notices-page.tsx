import { Button, Text, Anchor, Code, Stack, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useRead, type OutputOf, useWrite } from '#api/use-service.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { useState } from 'react'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { Time } from '#parts/value/values.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Dialog } from '#parts/modal/dialog.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { text } from './text.ts'

/** Webhook log of the account's software for calls. */
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

type Entry = OutputOf<'listWebhookLog'>['items'][number]

/** The latest webhook requests to the account's software. */
export const LogTable = ({ entries }: { entries: readonly Entry[] }) => {
  const say = useText(text)
  const [open, setOpen] = useState<Entry>()
  const columns: Column<Entry>[] = [
    { key: 'event', header: say.event, value: ({ request }) => eventIn(request), cell: ({ request }) => <code>{eventIn(request)}</code> },
    { key: 'created', header: say.created, value: ({ created }) => created, cell: ({ created }) => <Time at={created} /> },
    { key: 'url', header: say.url, value: ({ url }) => url, cell: ({ url }) => <ShortAddress url={url} /> },
    { key: 'status', header: say.status, cell: (entry) => <Status entry={entry} /> },
  ]
  return (
    <>
      <List
        name="log"
        label={say.log}
        rows={entries}
        columns={columns}
        rowKey={({ created, url, request }) => `${created} ${url} ${request}`}
        rowActions={(entry) => (
          <RowMenu
            label={say.actionsFor(eventIn(entry.request))}
            actions={[{ label: say.details, icon: 'info', onClick: () => setOpen(entry) }]}
          />
        )}
        empty={
          <EmptyState icon="list" title={say.logEmptyTitle}>
            {say.logEmpty}
          </EmptyState>
        }
      />
      {open && <ExchangeDetails title={eventIn(open.request)} {...open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

const eventIn = (form: string): string => new URLSearchParams(form).get('event') ?? '–'

const Status = ({ entry: { status, xmlError } }: { entry: Entry }) => {
  const say = useText(text)
  if (status === 0) return <StatusBadge tone="bad">{say.noAnswer}</StatusBadge>
  if (status < 200 || status > 299) return <StatusBadge tone="bad">{String(status)}</StatusBadge>
  if (xmlError !== '') return <StatusBadge tone="warning">{say.notFollowed(String(status))}</StatusBadge>
  return <StatusBadge tone="good">{String(status)}</StatusBadge>
}

type Notice = OutputOf<'listUndeliveredNotices'>['items'][number]

/** Undelivered notices, which can be sent again. */
export const UndeliveredTable = ({ notices }: { notices: readonly Notice[] }) => {
  const say = useText(text)
  const toast = useToast()
  const [open, setOpen] = useState<Notice>()
  const again = useWrite('redeliverNotice', { refreshes: ['listUndeliveredNotices'] })
  const send = ({ id }: Notice): void =>
    again.mutate([{ noticeId: id }], { onSuccess: () => toast.done(say.againDone), onError: (error) => toast.failed(error) })
  const columns: Column<Notice>[] = [
    { key: 'event', header: say.event, value: ({ event }) => event, cell: ({ event }) => <code>{event}</code> },
    { key: 'created', header: say.created, value: ({ created }) => created, cell: ({ created }) => <Time at={created} /> },
    { key: 'url', header: say.url, value: ({ url }) => url, cell: ({ url }) => <ShortAddress url={url} /> },
    { key: 'error', header: say.error, value: ({ error }) => error, cell: ({ error }) => <span lang="en">{error}</span> },
    { key: 'attempts', header: say.attempts, align: 'right', cell: ({ attempts }) => attempts },
  ]
  return (
    <>
      <List
        name="undelivered"
        label={say.undelivered}
        rows={notices}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={(notice) => (
          <RowMenu
            label={say.actionsFor(notice.event)}
            actions={[
              { label: say.details, icon: 'info', onClick: () => setOpen(notice) },
              { label: say.again, icon: 'refresh', onClick: () => send(notice) },
            ]}
          />
        )}
        empty={
          <EmptyState icon="check" title={say.noneGivenUpTitle}>
            {say.noneGivenUp}
          </EmptyState>
        }
      />
      {open && <ExchangeDetails title={open.event} {...open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

export const ShortAddress = ({ url }: { url: string }) => (
  <Text size="sm" c="dimmed" truncate maw={320}>
    {url.replace(/^https?:\/\//, '')}
  </Text>
)

export interface ExchangeDetailsProps {
  title: string
  created: string
  url: string
  request: string
  response?: string
  xmlError?: string
  error?: string
  onClose: () => void
}

/** One request, one field per line. */
export const ExchangeDetails = ({ title, created, url, request, response, xmlError, error, onClose }: ExchangeDetailsProps) => {
  const say = useText(text)
  const fields = new URLSearchParams(request)
  const callId = fields.get('callId')
  return (
    <Dialog onClose={onClose} title={title} size="lg">
      <Stack>
        <Facts
          facts={[
            [say.created, <Time key="created" at={created} />],
            [say.url, url],
            [say.callId, callId !== null && <CallLink key="call" callId={callId} />],
            [say.error, error && <InEnglish key="error">{error}</InEnglish>],
            [say.xmlError, xmlError && <InEnglish key="xmlError">{xmlError}</InEnglish>],
          ]}
        />
        <div>
          <Title order={3} mb={4}>
            {say.request}
          </Title>
          <Code block tabIndex={0} aria-label={say.request}>
            {[...fields].map(([name, value]) => `${name} = ${value}`).join('\n')}
          </Code>
        </div>
        {response !== undefined && (
          <div>
            <Title order={3} mb={4}>
              {say.response}
            </Title>
            <Code block tabIndex={0} aria-label={say.response}>
              {response === '' ? `(${say.empty})` : response}
            </Code>
          </div>
        )}
      </Stack>
    </Dialog>
  )
}

const CallLink = ({ callId }: { callId: string }) => (
  <Anchor component={Link} href={`/calls/${callId}`} size="sm">
    {callId}
  </Anchor>
)

/** The service explains software errors in English only. */
const InEnglish = ({ children }: { children: string }) => (
  <Text span inherit lang="en">
    {children}
  </Text>
)
