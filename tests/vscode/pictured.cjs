// What pictures of the documentation show, and where the pictures go.
const os = require('node:os');
const path = require('node:path');

const PICTURES = process.env.PLACET_UPDATE_IMAGES ? path.join(__dirname, '../../docs/images') : os.tmpdir();
const GREET = `"""How the shop greets its customers."""

from shop.names import full_name


def greet(customer):
    return "Hello " + customer.name


def farewell(customer):
    return "Bye " + customer.name
`;
const NAMES = `"""Names as they are written on parcels."""


def full_name(customer):
    return customer.first + " " + customer.last
`;

module.exports = { GREET, NAMES, PICTURES };
