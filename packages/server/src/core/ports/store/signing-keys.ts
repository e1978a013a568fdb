export interface SigningKeys {}
