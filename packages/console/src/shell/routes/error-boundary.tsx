import { Button, Code, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { text as partsText } from '#parts/text.ts'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'

/** One page that fails must not take the others with it. React knows no other form of this than a class. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: Error | undefined }> {
  override state: { error?: Error | undefined } = {}

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    return isNotLoaded(error) ? <NotLoaded onRetry={() => this.setState({ error: undefined })} /> : <Broken error={error} />
  }
}

/** The file of a page did not come. Browsers have no other name for that than their words. */
const isNotLoaded = (error: Error): boolean => /import|preload/i.test(error.message)

const NotLoaded = ({ onRetry }: { onRetry: () => void }) => {
  const say = useText(text)
  const { retry } = useText(partsText)
  return (
    <EmptyState icon="alert" title={say.notLoadedTitle} action={<Button onClick={onRetry}>{retry}</Button>}>
      {say.notLoadedBody}
    </EmptyState>
  )
}

const Broken = ({ error }: { error: Error }) => {
  const say = useText(text)
  return (
    <EmptyState icon="alert" title={say.brokenTitle} action={<Button onClick={() => location.reload()}>{say.reload}</Button>}>
      <Text size="sm">{say.brokenBody}</Text>
      <Code block mt="sm">
        {error.message}
      </Code>
    </EmptyState>
  )
}
