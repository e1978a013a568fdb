import { Alert, Button, List, Text } from '@mantine/core'
import { ApiError } from '#api/client.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { Icon } from '../icon/icon.tsx'
import { text } from '../text.ts'
import { fieldWords } from './field-words.ts'
import { otherProblems } from './use-form.ts'
import { useErrorText } from './use-error-text.ts'

/** The service's error, at its place. Empty without an error. */
export const ErrorNotice = ({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) => {
  const say = useText(text)
  const { language } = useLanguage()
  const { message, specifics } = useErrorText(error)
  if (error === null || error === undefined) return null
  const status = error instanceof ApiError ? error.status : 0
  const found = error instanceof ApiError ? (error.body.details ?? []) : []
  const others = error instanceof ApiError ? otherProblems(error) : []
  const isMissingFeature = error instanceof ApiError && error.body.code === 'feature_not_booked'
  const saysAll = status === 403 && !isMissingFeature && found.length === 0
  const title = isMissingFeature ? say.notInPlan : saysAll ? message : status === 404 ? say.gone : say.failed
  return (
    <Alert color="red" role="alert" icon={<Icon name="alert" />} title={title}>
      {found.length > 0 ? (
        <Text size="sm">{found.length > others.length ? say.markedFields : say.wrongFields}</Text>
      ) : (
        !saysAll && <Text size="sm">{message}</Text>
      )}
      {found.length === 0 && specifics !== undefined && (
        <Text size="sm" lang="en" mt={4}>
          {specifics}
        </Text>
      )}
      {others.length > 0 && (
        <List size="sm" mt="xs">
          {others.map(({ field, problem }) => (
            <List.Item key={`${field} ${problem}`}>
              <Text span inherit fw={550} lang="en">
                {field}
              </Text>
              {`: ${fieldWords(problem, language)}`}
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
