import { ActionIcon, CopyButton, Group, SegmentedControl, Stack, Text, Title, Tooltip } from '@mantine/core'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { useMemo, useState } from 'react'
import { Icon } from '../../../parts/icon.tsx'
import { useFormat } from '../../../parts/use-format.ts'
import { useText } from '../../../words/use-text.tsx'
import classes from './entries-view.module.css'
import { text } from './text.ts'

/** Messages over a WebSocket have no headers. */
type Bytes = Pick<TimelineEntryOf<'message'>, 'body' | 'bodyBytes' | 'cut'> & { headers?: Readonly<Record<string, string>> }

/** A request or an answer as it went over the wire. */
export const BytesView = ({ title, bytes }: { title: string; bytes: Bytes }) => {
  const say = useText(text)
  const format = useFormat()
  const { headers = {}, body, bodyBytes, cut } = bytes
  const pretty = useMemo(() => prettyJson(body), [body])
  const [way, setWay] = useState<'pretty' | 'raw'>('pretty')
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Group justify="space-between" gap="xs">
        <Title order={4}>
          {title}{' '}
          <Text span size="xs" c="dimmed" fw={400}>
            {format.bytes(bodyBytes)}
          </Text>
        </Title>
        <Group gap={4}>
          {pretty !== undefined && (
            <SegmentedControl
              size="xs"
              aria-label={`${title}: ${say.body}`}
              data={(['pretty', 'raw'] as const).map((value) => ({ value, label: say[value] }))}
              value={way}
              onChange={(value) => setWay(value)}
            />
          )}
          <CopyBody body={body} />
        </Group>
      </Group>
      {Object.keys(headers).length > 0 && (
        <pre className={classes.pre} tabIndex={0} aria-label={`${title}: ${say.headers}`}>
          {Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        </pre>
      )}
      {body === '' ? (
        <Text size="xs" c="dimmed">
          {say.emptyBody}
        </Text>
      ) : (
        <pre className={classes.pre} tabIndex={0} aria-label={`${title}: ${say.body}`}>
          {(way === 'pretty' && pretty) || body}
        </pre>
      )}
      {cut && <Text size="xs">{say.cut(format.bytes(64 * 1024), format.bytes(bodyBytes))}</Text>}
    </Stack>
  )
}

const CopyBody = ({ body }: { body: string }) => {
  const say = useText(text)
  return (
    <CopyButton value={body}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? say.copied : say.copyBody}>
          <ActionIcon variant="subtle" color="gray" aria-label={say.copyBody} onClick={copy}>
            <Icon name={copied ? 'check' : 'copy'} size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

/** Undefined for what is no JSON. */
const prettyJson = (body: string): string | undefined => {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return undefined
  }
}
