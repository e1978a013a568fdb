import type { PortingContext } from '#core/account/portings/porting-record.ts'
import type { HandlerParts } from './handler-parts.ts'

export const portingContext = ({ clock, vault, installation }: Pick<HandlerParts, 'clock' | 'vault' | 'installation'>): PortingContext => ({
  clock,
  vault,
  carrierCode: installation.carrierCode,
  publicUrl: installation.publicUrl,
})
