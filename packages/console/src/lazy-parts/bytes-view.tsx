import { ActionIcon, CopyButton, Group, SegmentedControl, Stack, Text, Title, Tooltip } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useText } from '../words/use-text.tsx'
import classes from './bytes-view.module.css'
import { Icon } from '../parts/icon/icon.tsx'
import { useFormat } from '../parts/value/use-format.ts'
import { text } from './bytes-text.ts'

/** WebSocket messages have no headers. */
interface Bytes {
  headers?: Readonly<Record<string, string>>
  body: string
  bodyBytes: number
  cut?: true
}

/** A raw request or answer: body shown, headers collapsed. */
export const BytesView = ({ title, bytes, order = 4 }: { title: string; bytes: Bytes; order?: 3 | 4 }) => {
  const say = useText(text)
  const format = useFormat()
  const { headers = {}, body, bodyBytes, cut } = bytes
  const pretty = useMemo(() => prettyJson(body), [body])
  const [way, setWay] = useState<'pretty' | 'raw'>('pretty')
  return (
    <Stack gap="xs" component="section" aria-label={title} miw={0}>
      <Group justify="space-between" gap="xs">
        <Title order={order} size="sm">
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
      <Headers title={title} headers={headers} />
      {body === '' ? (
        <Text size="xs" c="dimmed">
          {say.emptyBody}
        </Text>
      ) : (
        <Pre label={`${title}: ${say.body}`}>{(way === 'pretty' && pretty) || body}</Pre>
      )}
      {cut && <Text size="xs">{say.cut(format.bytes(64 * 1024), format.bytes(bodyBytes))}</Text>}
    </Stack>
  )
}

/** Preformatted text with wrapped lines, to avoid horizontal scrolling. */
export const Pre = ({ label, children }: { label?: string; children: string }) => (
  <pre className={classes.pre} tabIndex={0} {...(label !== undefined && { 'aria-label': label })}>
    {children}
  </pre>
)

const Headers = ({ title, headers }: { title: string; headers: Readonly<Record<string, string>> }) => {
  const say = useText(text)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  if (lines.length === 0) return null
  return (
    <details>
      <summary className={classes.headers}>{say.headers(lines.length)}</summary>
      <Pre label={`${title}: ${say.headers(lines.length)}`}>{lines.join('\n')}</Pre>
    </details>
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

/** Undefined if not JSON. */
const prettyJson = (body: string): string | undefined => {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return undefined
  }
}
