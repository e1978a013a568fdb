import { Button, Code, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { EmptyState } from '../parts/empty-state.tsx'
import { useText } from '../words/use-text.tsx'
import { text } from './text.ts'

/** One page that fails must not take the others with it. React knows no other form of this than a class. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {}

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override render(): ReactNode {
    return this.state.error ? <Broken error={this.state.error} /> : this.props.children
  }
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
