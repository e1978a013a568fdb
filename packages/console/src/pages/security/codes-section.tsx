import { Button, Stack, Text } from '@mantine/core'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import type { FactorProps } from './app-section.tsx'

export const CodesSection = ({ factors, left, attempt, onCodes }: FactorProps & { left: number }) => {
  const say = useText(text)
  const renew = (): void => attempt(async () => onCodes((await factors.renewRecoveryCodes()).recoveryCodes))
  return (
    <Section title={say.codes} description={say.codesHint}>
      <Stack align="flex-start">
        <Text>{say.codesLeft(left)}</Text>
        <Button variant="default" onClick={renew}>
          {say.codesNew}
        </Button>
      </Stack>
    </Section>
  )
}
