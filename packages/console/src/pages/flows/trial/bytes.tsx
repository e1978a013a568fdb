import { Code, Stack, Text, Title } from '@mantine/core'
import { useText } from '../../../words/use-text.tsx'
import classes from './bytes.module.css'
import { text } from './text.ts'

export interface BytesProps {
  title: string
  headers: Readonly<Record<string, string>>
  body: string
  /** What is left out. */
  note?: string | undefined
}

/** One message as it was sent. */
export const Bytes = ({ title, headers, body, note }: BytesProps) => {
  const say = useText(text)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <Stack gap={4} className={classes.message}>
      <Title order={3}>{title}</Title>
      {lines.length > 0 && (
        <Code block className={classes.headers} tabIndex={0} aria-label={`${title}: ${say.headers}`}>
          {lines.join('\n')}
        </Code>
      )}
      <Code block className={classes.body} tabIndex={0} aria-label={`${title}: ${say.body}`}>
        {body === '' ? `(${say.empty})` : readable(body)}
      </Code>
      {note !== undefined && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  )
}

/** JSON with its lines; anything else as it is. */
const readable = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}
