import { Button, Code, CopyButton, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useText } from '../words/use-text.tsx'
import { text } from './second-factor-text.ts'

/** Shown once. */
export const RecoveryCodes = ({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) => {
  const say = useText(text)
  return (
    <Stack>
      <Text size="sm">{say.codesLead}</Text>
      <SimpleGrid cols={2} spacing="xs" aria-label={say.codesTitle} role="list">
        {codes.map((code) => (
          <Code key={code} role="listitem" fz="md" ta="center">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <CopyButton value={codes.join('\n')}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? say.copied : say.copyCodes}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onKept}>{say.kept}</Button>
      </Group>
    </Stack>
  )
}
