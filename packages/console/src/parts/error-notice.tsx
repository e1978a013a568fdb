import { Alert, Button, List, Text } from '@mantine/core'
import { ApiError } from '../api/client.ts'
import { useText } from '../words/use-text.tsx'
import { Icon } from './icon.tsx'
import { text } from './text.ts'
import { useErrorText } from './use-error-text.ts'

/** What the service said when it refused, where it happened. Draws nothing without an error. */
export const ErrorNotice = ({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) => {
  const say = useText(text)
  const { message, specifics } = useErrorText(error)
  if (error === null || error === undefined) return null
  const status = error instanceof ApiError ? error.status : 0
  const details = error instanceof ApiError ? (error.body.details ?? []) : []
  const title = status === 403 ? say.forbidden : status === 404 ? say.gone : say.failed
  return (
    <Alert color="red" role="alert" icon={<Icon name="alert" />} title={title}>
      <Text size="sm">{message}</Text>
      {specifics !== undefined && (
        <Text size="sm" lang="en" mt={4}>
          {specifics}
        </Text>
      )}
      {details.length > 1 && (
        <List size="sm" mt="xs" lang="en">
          {details.map(({ field, problem }) => (
            <List.Item key={`${field} ${problem}`}>
              {field} {problem}
            </List.Item>
          ))}
        </List>
      )}
      {onRetry && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          {say.retry}
        </Button>
      )}
    </Alert>
  )
}
