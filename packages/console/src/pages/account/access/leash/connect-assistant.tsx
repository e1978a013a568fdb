import { Stack, Text } from '@mantine/core'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** Address of the service for external AI assistants. */
export const ConnectAssistant = () => {
  const say = useText(text)
  return (
    <Section title={say.connect} description={say.connectHint}>
      <Stack>
        <CopyField label={say.address} value={`${location.origin}/mcp`} />
        <div>
          <CopyField label={say.command} value={`npx offhook mcp --url ${location.origin}`} />
          <Text size="sm" c="dimmed" mt={4}>
            {say.commandHint}
          </Text>
        </div>
      </Stack>
    </Section>
  )
}
